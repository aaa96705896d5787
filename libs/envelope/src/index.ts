export {
  type AnnouncedUse,
  announce,
  announcedNow,
  type Announcement,
  type AnnouncementProblem,
  type KnownParty,
  type Owner,
  ownerName,
  readAnnouncement,
  type RolesKeyOf,
} from './announcement.js';
export {
  AuditChain,
  type AuditEntry,
  auditHash,
  type AuditHead,
  type AuditProblem,
  type AuditRecord,
  type ChainEnd,
  encodeAudit,
  followsAudit,
  readAudit,
  readAuditHead,
  signAuditHead,
} from './audit.js';
export { base32, concat, equalBytes, fromHex, mapKey, toHex } from './bytes.js';
export { type DataProblem, type MinionData, readData, signData } from './data.js';
export { decode, encode, EncodingError, joinLists, type Wire, type WireMap } from './encoding.js';
export { type EpochKey, EpochKeyring, PairKeys, PairRefused } from './epoch.js';
export {
  type Grant,
  grantIn,
  type GrantKind,
  type GrantProblem,
  MAX_GRANT_JOB,
  inTime,
  readGrant,
  signGrant,
  verifyGrant,
} from './grant.js';
export { type CheckedJoin, type JoinProblem, type JoinRequest, readJoin, signJoin } from './join.js';
export { clusterOf, fingerprint, fp, type Identity, identityFrom, keyId, newIdentitySecret, pemOf } from './keys.js';
export { type MemberTree, MemberTrees } from './member-trees.js';
export { leafOf, MerkleTree, verifyProof } from './merkle.js';
export { type OpenContext, type OpenedMessage, type OpenFailure, openMessage, type OpenReason } from './open.js';
export { namesOf, type PartyNames } from './party-names.js';
export { randomBytes } from './random.js';
export { policyRevision } from './policy-revision.js';
export { encodeReceipt, readReceipt } from './receipt.js';
export {
  encodeRequest,
  MAX_LIFETIME,
  readRequest,
  type Request,
  REQUEST_WHATS,
  requestDigest,
  type RequestWhat,
  signRequest,
} from './request.js';
export {
  everyKeyOf,
  isRolesExpired,
  readRolesChain,
  ROLE_NAMES,
  type RoleName,
  type Roles,
  type RolesChain,
  rolesChainFromWire,
  rolesChainToWire,
  type RolesDocument,
  type RolesPin,
  type RolesProblem,
  signRoles,
  verifyRolesChain,
} from './roles.js';
export {
  readRoster,
  ROSTER_KINDS,
  ROSTER_STATES,
  type RosterKind,
  type RosterProblem,
  type RosterRecord,
  type RosterState,
  signRoster,
} from './roster.js';
export { type MessageHead, type Recipient, type SealedParts, sealMessage, sealParts, type Sender } from './seal.js';
export { type Seen, type SeenLimits, SeenSets } from './seen-sets.js';
export {
  type Cluster,
  type Signed,
  signed,
  SIGNED_WHATS,
  signedFromWire,
  signedIn,
  signedToWire,
  type SignedWhat,
  SigningKey,
  verify,
} from './signing.js';
export { blake2b, sodiumBuild, sodiumReady } from './sodium.js';
export { NatsKey, nkeySeedIn, nkeyText } from './nkey.js';
export { encodeStaleKey, readStaleKey } from './stale-key.js';
export { keyedName, openStored, sealStored, type StorageKey, storedKeyId, type StorageProblem } from './storage.js';
export { readTime, signTime, type TimeProblem } from './time.js';
export { privatePart, type TraceContext, traceIn } from './trace.js';
export { Verified } from './verified.js';
