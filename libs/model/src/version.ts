/** The version of this project, in one place; a test holds it equal to the root package's. */
export const VERSION = '0.1.0';
