import { VERSION } from '@natrium/model';

/** What stands where Salt says its version: clients compare and show it, and must not take it for a Salt release. */
export const SALT_VERSION = `Natrium-${VERSION}`;
