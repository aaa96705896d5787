/** The oldest Node that all of this runs on. package.json says which; a distribution may have an older one. */
import { readFileSync } from 'node:fs';
import { inRoot } from './programs.mjs';

const needed = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).engines.node;

/** Its text is in each program that is built, so it names nothing around it. */
function whyTooOld(version, least) {
  const [major, minor] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = least.replace('>=', '').split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `this is Node ${version}; Natrium needs ${least}`;
}

/** @returns undefined when this process's Node is new enough. */
export const nodeProblem = () => whyTooOld(process.versions.node, needed);

/** Ends a program that an older Node has loaded, before its first statement: it would fail later, and not say why. */
export const nodeCheck = `{
  const problem = (${String(whyTooOld)})(process.versions.node, '${needed}');
  if (problem !== undefined) {
    process.stderr.write(\`natrium: \${problem}\\n\`);
    process.exit(70);
  }
}`;
