/** How the demo writes: headings, commands, answers, within a page of 96 columns. */
const COLUMNS = 96;
const SHOWN_LINES = 14;

export function heading(text: string): void {
  print(`\n${text}\n${'='.repeat(text.length)}\n\n`);
}

export function paragraph(text: string): void {
  print(`${wrapped(text, COLUMNS).join('\n')}\n`);
}

/** A file as it stands, each line behind a bar. */
export function shownFile(text: string): void {
  print(text.trimEnd().split('\n').map((line) => `    | ${line}\n`).join('')); // prettier-ignore
}

export function command(host: string, typed: string): void {
  print(`\n${host} $ ${typed}\n`);
}

/** What a command said; of a long answer the first lines. */
export function answer(stdout: string, stderr: string): void {
  const lines = stdout === '' ? [] : stdout.trimEnd().split('\n');
  for (const line of lines.slice(0, SHOWN_LINES)) print(`    ${line}\n`);
  if (lines.length > SHOWN_LINES) print(`    ... ${lines.length - SHOWN_LINES} more lines\n`);
  for (const line of stderr.trimEnd().split('\n')) {
    for (const part of line === '' ? [] : wrapped(line, COLUMNS - 8)) print(`    ! ${part}\n`);
  }
}

export function verdict(code: number, ms: number): void {
  print(`    exit code ${code}, ${ms.toFixed(0)} ms\n`);
}

export function line(text: string): void {
  print(`${text}\n`);
}

function print(text: string): void {
  process.stdout.write(text);
}

function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
