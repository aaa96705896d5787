/** What changed between two texts, as one hunk of a unified diff with three lines around it; empty when nothing did. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return '';
  const [old, now] = [linesOf(before), linesOf(after)];
  let same = 0;
  while (same < old.length && old[same] === now[same]) same += 1;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - same && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const from = Math.max(0, same - 3);
  const context = Math.min(tail, 3);
  const body = [
    ...old.slice(from, same).map((line) => ` ${line}`),
    ...old.slice(same, old.length - tail).map((line) => `-${line}`),
    ...now.slice(same, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + context).map((line) => ` ${line}`),
  ];
  const range = (length: number): string => {
    const count = length - tail + context - from;
    if (count === 1) return String(from + 1);
    return `${count === 0 ? from : from + 1},${count}`;
  };
  return `--- \n+++ \n@@ -${range(old.length)} +${range(now.length)} @@\n${body.map(ended).join('')}`;
}

function ended(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n`;
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
