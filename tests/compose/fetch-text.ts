/** Runs in the container `cli`, whose image has no program for it: prints what a URL answers. */
const [, , url = ''] = process.argv;
const response = await fetch(url);
if (!response.ok) throw new Error(`${url}: ${String(response.status)}`);
process.stdout.write(await response.text());
