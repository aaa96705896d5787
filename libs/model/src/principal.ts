/**
 * Who may ask. Names are typed: no rule for one kind ever matches another.
 *
 * Spec: spec/envelope.md#keys; the kinds are frozen in protocol version 1.
 */
export const PRINCIPAL_KINDS = ['minion', 'account', 'external', 'token', 'runner', 'reactor'] as const;
export type PrincipalKind = (typeof PRINCIPAL_KINDS)[number];

export interface Principal {
  readonly kind: PrincipalKind;
  readonly name: string;
}

/** A principal as a sentence names it: `minion web1`, `account root`. */
export function nameOf(principal: Principal): string {
  return `${principal.kind} ${principal.name}`;
}
