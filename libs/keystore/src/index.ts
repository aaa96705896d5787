export { type BrokerCredentials, claimsIn, readCredentials } from './broker-credentials.js';
export {
  type ClusterMemory,
  ClusterMemoryFile,
  NextIdentity,
  readIdentity,
  readOrMakeIdentity,
} from './identity-keys.js';
export { MasterKeys, ROLES, STORAGE_CLASSES, type StorageClass } from './master-keys.js';
export { RolesChanges } from './roles-changes.js';
export { newestRoles, readRolesFile, writeRolesFile } from './roles-file.js';
export { StorageFolder, storageKeyId, storageKeyMs } from './storage-folder.js';
export { diskTrouble, mendOf, PartlyWritten } from './disk-trouble.js';
export { type FolderLock, FolderInUse, type FolderUse, lockFolder } from './folder-lock.js';
export { KeyfileCorrupt, readKeyFile, writeKeyFile } from './key-file.js';
export { makeFolder, readIfThere, removeDrafts, removeDraftsIn, syncName, writeWhole } from './whole-file.js';
