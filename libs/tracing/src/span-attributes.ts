/**
 * What a span says: OpenTelemetry's conventions for messaging, and Natrium's own few. Whatever is not written like what it
 * should be is left out, so that no field can carry anything else.
 */
import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import type { StepFacts, ToldMessage } from '@natrium/bus';

const JID = /^\d{20}$/;
const FUNCTION = /^[A-Za-z_]\w{0,63}(?:\.[A-Za-z_]\w{0,63}){1,3}$/;
const CODE = /^\w{1,64}$/;
/** A party and an instance in a subject: there are as many as there are keys and processes. */
const FP = /^[a-z2-7]{26}$/;
const INSTANCE = /^[0-9a-f]{12}$/;
const MAX_FUNCTIONS = 16;

export function attributesOf({ jid, funs, refusal, minions }: StepFacts): Attributes {
  const names = (funs ?? []).slice(0, MAX_FUNCTIONS).filter((fun) => FUNCTION.test(fun));
  return {
    ...(jid !== undefined && JID.test(jid) && { 'natrium.jid': jid }),
    ...(names.length > 0 && { 'natrium.function': names.join(',') }),
    ...(refusal !== undefined && CODE.test(refusal) && { 'natrium.refusal': refusal }),
    ...(minions !== undefined && { 'natrium.minions': minions }),
  };
}

export function messageAttributes(does: 'send' | 'process', { kind, subject, messageId }: ToldMessage): Attributes {
  return {
    'messaging.system': 'nats',
    'messaging.operation.type': does,
    'messaging.operation.name': does,
    'messaging.destination.template': templateOf(subject),
    'messaging.message.id': Buffer.from(messageId).toString('hex'),
    'natrium.kind': kind,
  };
}

export function failed(span: Span, code: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  if (CODE.test(code)) span.setAttribute('error.type', code);
}

function templateOf(subject: string): string {
  const words = subject.split('.');
  return words.map((word) => (FP.test(word) ? '<fp>' : INSTANCE.test(word) ? '<instance>' : word)).join('.');
}
