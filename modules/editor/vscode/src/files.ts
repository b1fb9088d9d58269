// Files of the workspace, as much of Node's file system as Go's package os asks for. They are only read.

interface Facts {
  folder: boolean;
  size: number;
  changed: number;
}

export type Asking = (what: "stat" | "read" | "list", path: string) => Promise<unknown>;

type Done = (error: Error | null, result?: unknown) => void;

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

export class Files {
  readonly constants = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };
  said = "";
  private readonly opened = new Map<number, { path: string; facts: Facts; data: Uint8Array | null; at: number }>();
  private next = 10;

  constructor(private readonly ask: Asking) {}

  open(path: string, flags: number, _mode: number, done: Done): void {
    if ((flags & (this.constants.O_WRONLY | this.constants.O_RDWR | this.constants.O_CREAT)) !== 0) return done(failure("EROFS"));
    this.facts(path).then((facts) => {
      const descriptor = this.next++;
      this.opened.set(descriptor, { path, facts, data: null, at: 0 });
      done(null, descriptor);
    }, done);
  }

  close(descriptor: number, done: Done): void {
    done(this.opened.delete(descriptor) ? null : failure("EBADF"));
  }

  read(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number | null, done: Done): void {
    const open = this.opened.get(descriptor);
    if (!open) return descriptor === 0 ? done(null, 0) : done(failure("EBADF"));
    if (open.facts.folder) return done(failure("EISDIR"));
    const give = (data: Uint8Array): void => {
      open.data = data;
      const from = position ?? open.at;
      const n = Math.max(0, Math.min(length, data.length - from));
      buffer.set(data.subarray(from, from + n), offset);
      if (position === null) open.at += n;
      done(null, n);
    };
    if (open.data) return give(open.data);
    this.ask("read", open.path).then((data) => give(data as Uint8Array), () => done(failure("ENOENT")));
  }

  write(descriptor: number, buffer: Uint8Array, _offset: number, length: number, _position: number | null, done: Done): void {
    if (descriptor !== 1 && descriptor !== 2) return done(failure("EROFS"));
    this.writeSync(descriptor, buffer);
    done(null, length);
  }

  /** What Go itself says, as when it has no memory left. */
  writeSync(_descriptor: number, buffer: Uint8Array): number {
    this.said = (this.said + new TextDecoder().decode(buffer)).slice(-2000);
    return buffer.length;
  }

  stat(path: string, done: Done): void {
    this.facts(path).then((facts) => done(null, shown(facts)), done);
  }
  lstat(path: string, done: Done): void {
    this.stat(path, done);
  }
  fstat(descriptor: number, done: Done): void {
    const open = this.opened.get(descriptor);
    if (open) done(null, shown(open.facts));
    else done(failure("EBADF"));
  }
  readdir(path: string, done: Done): void {
    this.ask("list", path).then((names) => done(null, names), () => done(failure("ENOENT")));
  }
  fsync(_descriptor: number, done: Done): void {
    done(null);
  }

  private async facts(path: string): Promise<Facts> {
    try {
      return (await this.ask("stat", path)) as Facts;
    } catch {
      throw failure("ENOENT");
    }
  }
}

function refuses(...args: unknown[]): void {
  (args[args.length - 1] as Done)(failure("EROFS"));
}
for (const name of ["mkdir", "rename", "unlink", "rmdir", "truncate", "ftruncate", "chmod", "fchmod", "chown", "fchown", "lchown", "utimes", "readlink", "link", "symlink"]) {
  Object.defineProperty(Files.prototype, name, { value: refuses });
}

function shown({ folder, size, changed }: Facts): object {
  return {
    dev: 1, ino: 0, mode: folder ? 0o40755 : 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096,
    blocks: Math.ceil(size / 512), atimeMs: changed, mtimeMs: changed, ctimeMs: changed, isDirectory: () => folder,
  };
}
