import { fileURLToPath } from 'node:url';

/** The program that loads a JavaScript file of the user: beside this file in the sources and in a bundle. */
export const MODULE_HOST = fileURLToPath(new URL('./module-host.mjs', import.meta.url));
