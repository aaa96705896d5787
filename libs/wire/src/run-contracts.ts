/** Messages of a run's end, between the runner-service that has it and the gateways. Spec: spec/wire.md. */
import * as z from 'zod/mini';
import { fields, listOf } from './codec.js';
import { contract } from './contract.js';
import { bytes, jid, MAX_REQUEST, Outcome, refused, signed } from './fields.js';

/** A runner-service asks a gateway which of these runs' ends it has kept. */
export const kept = contract('kept', ['runner'], fields({ jids: listOf(jid, 256) }));
export const keeps = contract('keeps', ['gateway'], fields({ kept: listOf(jid, 256) }));

/** What a run answered, for whichever gateway hears it to keep: the one that granted it is gone. */
export const ended = contract(
  'ended',
  ['runner'],
  fields({
    request: bytes(MAX_REQUEST),
    grant: signed,
    jid,
    refusal: z.nullable(refused),
    outcome: z.nullable(Outcome),
  }),
);
