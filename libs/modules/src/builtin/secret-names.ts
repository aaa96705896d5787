/** Names under which a secret may stand: whoever may read settings is not whoever may read those. Rather one too many. */
const SECRET = /pass|pwd|pw$|secret|token|seed|private|credential|psk|api_?key|[_-]key$|^key$|(?:^|_)dsn$/i;

export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}
