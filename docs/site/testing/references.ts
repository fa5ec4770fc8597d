/** Paths outside the repository: what npm installs, what a build makes, and what the package exports. */
const elsewhere = /^(?:node_modules|dist|assay)\//;
const path = /(?<![\w./:@$-])\.?\w[\w.-]*(?:\/[\w.-]+)*\/?/g;
const fileExtension = /\.(?:[cm]?[jt]s|vue|ya?ml|json|md|py|java|sh|css|svg|html)$/;

/** Repository paths that a text may name: the files, and the folders that hold them. */
export interface Tree {
  readonly files: readonly string[];
  readonly folders: ReadonlySet<string>;
}

/** The tree of a repository with these files. */
export function treeOf(files: readonly string[]): Tree {
  const folders = files.flatMap((file) => {
    const steps = file.split('/').slice(0, -1);
    return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
  });
  return { files, folders: new Set(folders) };
}

/**
 * The paths in a text that look like files or folders of the repository but do not exist. A path may begin at the root
 * or at any folder: `services/orders/moves.ts` names `server/services/orders/moves.ts`. A path that ends in a slash must be a folder.
 * Paths without a file extension count only if they begin with a folder at the root.
 */
export function staleReferences(text: string, { files, folders }: Tree): string[] {
  const names = [...text.matchAll(path)].map(([name]) => name.replace(/\.+$/, '')).filter((name) => name.includes('/'));
  return names.filter((name) => {
    const isFile = fileExtension.test(name);
    const atRoot = folders.has(name.split('/', 1)[0] ?? '');
    if (elsewhere.test(name) || (!isFile && !atRoot)) return false;
    if (name.endsWith('/')) return !folders.has(name.slice(0, -1));
    const exists = files.some((file) => file === name || file.endsWith(`/${name}`));
    return !exists && (isFile || !folders.has(name));
  });
}

/** The comments of a source file: lines that begin with a comment sign, and blocks in the style of C. */
export function commentsOf(file: string, source: string): string {
  const comment = /\.(?:ya?ml|py|sh)$/.test(file)
    ? /(?:^|\s)#.*$/gm
    : /^\s*\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$|<!--[\s\S]*?-->/gm;
  return [...source.matchAll(comment)].map(([text]) => text).join('\n');
}
