/** Salt's log levels by the logger's names. */
const LEVELS: Readonly<Record<string, string>> = {
  quiet: 'silent',
  critical: 'fatal',
  error: 'error',
  warning: 'warn',
  info: 'info',
  profile: 'debug',
  debug: 'debug',
  trace: 'trace',
  garbage: 'trace',
  all: 'trace',
};

/** Nothing that is called so is logged, also where an error of a library carries it. */
const SECRET_NAMES = [
  ...['password', 'passphrase', 'secret', 'sharedsecret', 'token', 'credential', 'authorization', 'cookie'],
  ...['seed', 'secretKey', 'privateKey', 'jwt', 'sig'],
  '["x-auth-token"]',
  '["set-cookie"]',
];
/** In what is logged, and two levels below. */
const DEPTHS = ['', '*', '*.*'];

/** Pino's serializer of errors: the logger is not known here. */
type Describe = (error: Error) => { type: string };

/** What each logger of ours is made with. @param base Stands in each line. */
export function logOptions(level: string, base: Readonly<Record<string, string>>, describe: Describe) {
  const paths = DEPTHS.flatMap((above) =>
    SECRET_NAMES.map((name) => (above === '' || name.startsWith('[') ? `${above}${name}` : `${above}.${name}`)),
  );
  return { level, base, redact: { paths, censor: '[redacted]' }, serializers: { err: byName(describe) } };
}

/** Pino takes the class's own name, which a minified program has lost. A library may leave an error's at `Error`, which says less. */
function byName(describe: Describe): Describe {
  return (error) => {
    const described = describe(error);
    if (error instanceof Error && error.name !== 'Error') described.type = error.name;
    return described;
  };
}

export function pinoLevel(saltLevel: string): string {
  return LEVELS[saltLevel] ?? 'warn';
}
