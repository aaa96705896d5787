/** The version of this project, in one place; a test holds it equal to the root package's. */
export const VERSION = '0.1.0';

/** What stands where Salt says its version: clients compare and show it, and must not take it for a Salt release. */
export const SALT_VERSION = `Natrium-${VERSION}`;
