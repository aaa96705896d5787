/** The one runner that tells pillar: to an account with full access alone, and its events and its record do not hold it. */
export const PILLAR_RUNNER = 'cache.pillar';
