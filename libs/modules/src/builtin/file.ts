/**
 * `file.*`: files and folders of this host.
 *
 * Diverges: what changes a file refuses a symbolic link as its last part, and `file.replace` keeps its backup under the
 * cachedir (compat/divergences.md). Sizes have a bound.
 */
import { defineModule } from '../loader/declaration.js';
import { fn } from '../minion-registry.js';
import { findFiles } from './file-find.js';
import { fileFolders } from './file-folders.js';
import { withHomes } from './file-home.js';
import { fileReading, PATH } from './file-read.js';
import { fileTree } from './file-tree.js';
import { fileWriting } from './file-write.js';

const functions = {
  ...fileReading,
  ...fileWriting,
  ...fileTree,
  ...fileFolders,
  find: fn(
    {
      doc: 'The paths in a folder that fit. Links are not followed, but for one where the search begins.',
      params: [
        { ...PATH, doc: 'The whole path, or a glob of several.' },
        {
          kwargs: 'kwargs',
          doc: 'name, iname (globs), regex, iregex, type (letters of bcdflps), owner, group, size, mtime (+10k, -2d), mindepth, maxdepth, print (path, name, size, type, mode, mtime, user, group, md5).',
        },
      ],
      returns: 'a list of at most 10000 paths, or of what `print` asks for',
      examples: ["file.find /etc name='*.conf' type=f", 'file.find /var/log mtime=+30d size=+10m print=size,path'],
    },
    ({ path, kwargs }, { signal }) => findFiles(path, kwargs, signal),
  ),
};

export const fileModule = defineModule('file', withHomes(functions));
