/**
 * Where each question is heard: its place below the cluster's prefix, who hears it, what it is, and what answers it.
 *
 * `*` stands for a party's `fp`, `{instance}` for this process. Spec: spec/wire.md#subjects.
 */
import { type Contract, RECEIPT } from './contract.js';
import * as contracts from './contracts.js';

type Answer = Contract | typeof RECEIPT;

export interface Route<Q extends Contract = Contract, A extends Answer = Answer> {
  readonly at: string;
  /** One of the service's replicas hears each message; otherwise every one does. */
  readonly shared: boolean;
  readonly question: Q;
  readonly answer: A;
}

function route<Q extends Contract, A extends Answer>(at: string, question: Q, answer: A, shared = true): Route<Q, A> {
  return { at, shared, question, answer };
}

export const peerPublish = route('up.*.publish', contracts.publish, contracts.news);
export const accountPublish = route('usr.*.publish', contracts.publish, contracts.news);
export const peerRunner = route('up.*.runner', contracts.runner, contracts.ran);
export const accountRunner = route('usr.*.runner', contracts.runner, contracts.ran);
export const jobReturn = route('up.*.return', contracts.returned, RECEIPT);
export const jobReturnHere = route('up.*.return.{instance}', contracts.returned, RECEIPT, false);
export const gatewayPublish = route('svc.gw.publish', contracts.publish, contracts.news);
export const gatewayRunner = route('svc.gw.runner', contracts.runner, contracts.ran);
export const gatewayRead = route('svc.gw.read', contracts.read, contracts.answer);
/** A runner-service asks the gateway that granted its run whether the end is kept, and hands it to any where it is not. */
export const gatewayKept = route('svc.gw.kept.{instance}', contracts.kept, contracts.keeps, false);
export const gatewayEnded = route('svc.gw.ended', contracts.ended, contracts.answer);
/** Gateways ask each other whether they are there. */
export const gatewayHere = route('svc.gw.here.{instance}', contracts.presence, contracts.here, false);
export const aclGrant = route('svc.acl.grant', contracts.grant, contracts.granted);
/** Of which nobody answers in time is asked of all: the broker would hand it to the replica that stands still once more. */
export const aclGrantAgain = route('svc.acl.again', contracts.grant, contracts.granted, false);
export const aclAuth = route('svc.acl.auth', contracts.auth, contracts.authed);
export const aclRead = route('svc.acl.read', contracts.read, contracts.answer);
export const aclWheel = route('svc.acl.wheel', contracts.wheel, contracts.ran);
export const minionData = route('up.*.acl.data', contracts.data, contracts.pillar);
export const minionMine = route('up.*.acl.mine', contracts.mine, contracts.answer);
export const join = route('join', contracts.join, contracts.joined);
export const minionRenew = route('up.*.acl.renew', contracts.renew, contracts.renewed);
export const minionSucceed = route('up.*.acl.succeed', contracts.succeed, contracts.succeeded);
export const accountRenew = route('usr.*.acl.renew', contracts.renew, contracts.renewed);
export const accountAdmin = route('usr.*.acl.admin', contracts.admin, contracts.adminDone);
export const minionEvents = route('up.*.event', contracts.events, contracts.eventsStored);
export const gatewayFire = route('svc.gw.fire', contracts.fire, contracts.fired);
export const aclEventRefused = route('svc.acl.event', contracts.eventRefused, contracts.noted);
export const guest = route('usr.*.acl.guest', contracts.guest, contracts.guested);
export const accountAuth = route('usr.*.acl.auth', contracts.auth, contracts.authed);
export const runnerRun = route('svc.run.run', contracts.run, contracts.ran);
/** What another runner-service has taken, for who asks again. */
export const runnerRunHere = route('svc.run.run.{instance}', contracts.run, contracts.ran, false);
/** A gateway asks a runner-service that has fallen silent whether it is there, and still at work. */
export const runnerHere = route('svc.run.here.{instance}', contracts.presence, contracts.here, false);

export type QuestionOf<R> = R extends Route<infer Q> ? Q : never;
export type AnswerOf<R> = R extends Route<Contract, infer A> ? A : never;
