export { announce, announcedNow, type KnownParty, type Owner, readAnnouncement } from './announcement.js';
export {
  AuditChain,
  type AuditCut,
  type AuditEntry,
  auditHash,
  type AuditRecord,
  type ChainEnd,
  encodeAudit,
  followsAudit,
  MAX_CUTS,
  MAX_HEADS,
  readAudit,
  readAuditCut,
  readAuditHead,
  signAuditCut,
  signAuditHead,
} from './audit.js';
export { bytesOf, concat, equalBytes, fromHex, mapKey, toHex } from './bytes.js';
export { readData, signData } from './data.js';
export { encodedSize } from './encoded-size.js';
export { decode, encode, EncodingError, joinLists, type Wire, type WireMap } from './encoding.js';
export { EpochKeyring, PairKeys, PairRefused } from './epoch.js';
export { type Grant, grantIn, inTime, readGrant, signGrant, verifyGrant } from './grant.js';
export { type CheckedJoin, readJoin, signJoin } from './join.js';
export { clusterOf, fingerprint, fp, type Identity, identityFrom, newIdentitySecret, pemOf } from './keys.js';
export { type MemberTree, MemberTrees } from './member-trees.js';
export { leafOf, MerkleTree, verifyProof } from './merkle.js';
export {
  OPEN_REASONS,
  type OpenContext,
  namesKeyOnly,
  type OpenedMessage,
  openMessage,
  type OpenReason,
} from './open.js';
export { namesOf } from './party-names.js';
export { randomBytes } from './random.js';
export { policyRevision } from './policy-revision.js';
export { encodeReceipt, readReceipt } from './receipt.js';
export { encodeRequest, readRequest, type Request, requestDigest, signRequest } from './request.js';
export {
  everyKeyOf,
  isRolesExpired,
  MAX_DOCUMENTS,
  readRolesChain,
  type RoleName,
  type Roles,
  type RolesChain,
  rolesChainFromWire,
  rolesChainToWire,
  type RolesDocument,
  type RolesPin,
  signRoles,
  verifyRolesChain,
} from './roles.js';
export { readRoster, type RosterRecord, type RosterState, signRoster } from './roster.js';
export { type Recipient, type SealedParts, sealMessage, sealParts } from './seal.js';
export { type SeenLimits, SeenSets } from './seen-sets.js';
export {
  type Cluster,
  type Signed,
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
export { keyedName, openStored, sealStored, type StorageKey, storedKeyId } from './storage.js';
export { readTime, signTime } from './time.js';
export { privatePart, type TraceContext, traceIn } from './trace.js';
export { Verified } from './verified.js';
