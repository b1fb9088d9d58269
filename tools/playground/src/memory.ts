// Files in memory, as much of Node's file system as Go's package os asks for.

interface File {
  folder: boolean;
  data: Uint8Array;
  size: number;
  number: number;
}

interface Opened {
  file: File;
  path: string;
  at: number;
  appends: boolean;
}

type Done = (error: Error | null, result?: unknown) => void;

const constants = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The folder that relative names are in. */
export const folder = "/work";

export class Memory {
  readonly constants = constants;
  private readonly files = new Map<string, File>();
  private readonly opened = new Map<number, Opened>();
  private nextFile = 1;
  private nextDescriptor = 10;

  constructor() {
    for (const path of ["/", folder, "/tmp"]) this.files.set(path, this.made(true));
  }

  /** Puts a file into the folder. */
  put(name: string, data: Uint8Array): void {
    this.files.set(this.at(name), { folder: false, data, size: data.length, number: this.nextFile++ });
  }

  /** Takes a file out of the folder; null if it is not there. */
  take(name: string): Uint8Array | null {
    const file = this.files.get(this.at(name));
    this.files.delete(this.at(name));
    return file ? file.data.slice(0, file.size) : null;
  }

  at(path: string): string {
    const parts: string[] = [];
    for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    return `/${parts.join("/")}`;
  }

  open(path: string, flags: number, _mode: number, done: Done): void {
    const at = this.at(path);
    let file = this.files.get(at);
    if (file && (flags & constants.O_CREAT) !== 0 && (flags & constants.O_EXCL) !== 0) return done(failure("EEXIST"));
    if (!file) {
      if ((flags & constants.O_CREAT) === 0) return done(failure("ENOENT"));
      if (!this.files.get(this.at(`${at}/..`))?.folder) return done(failure("ENOENT"));
      file = this.made(false);
      this.files.set(at, file);
    }
    if (file.folder && (flags & 3) !== 0) return done(failure("EISDIR"));
    if (!file.folder && (flags & constants.O_DIRECTORY) !== 0) return done(failure("ENOTDIR"));
    if ((flags & constants.O_TRUNC) !== 0) file.size = 0;
    const descriptor = this.nextDescriptor++;
    this.opened.set(descriptor, { file, path: at, at: 0, appends: (flags & constants.O_APPEND) !== 0 });
    done(null, descriptor);
  }

  close(descriptor: number, done: Done): void {
    done(this.opened.delete(descriptor) ? null : failure("EBADF"));
  }

  read(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number | null, done: Done): void {
    const open = this.opened.get(descriptor);
    if (!open) return descriptor === 0 ? done(null, 0) : done(failure("EBADF"));
    if (open.file.folder) return done(failure("EISDIR"));
    const from = position ?? open.at;
    const n = Math.max(0, Math.min(length, open.file.size - from));
    buffer.set(open.file.data.subarray(from, from + n), offset);
    if (position === null) open.at += n;
    done(null, n);
  }

  write(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number | null, done: Done): void {
    const open = this.opened.get(descriptor);
    if (!open) {
      if (descriptor === 1 || descriptor === 2) this.writeSync(descriptor, buffer);
      return descriptor === 1 || descriptor === 2 ? done(null, length) : done(failure("EBADF"));
    }
    const { file } = open;
    const from = open.appends ? file.size : (position ?? open.at);
    if (from + length > file.data.length) {
      const larger = new Uint8Array(Math.max(from + length, 2 * file.data.length));
      larger.set(file.data.subarray(0, file.size));
      file.data = larger;
    }
    file.data.set(buffer.subarray(offset, offset + length), from);
    file.size = Math.max(file.size, from + length);
    if (position === null) open.at = from + length;
    done(null, length);
  }

  /** What Go itself says, as when it has no memory left. */
  writeSync(_descriptor: number, buffer: Uint8Array): number {
    this.said = (this.said + new TextDecoder().decode(buffer)).slice(-2000);
    return buffer.length;
  }
  said = "";

  stat(path: string, done: Done): void {
    const file = this.files.get(this.at(path));
    if (file) done(null, facts(file));
    else done(failure("ENOENT"));
  }
  lstat(path: string, done: Done): void {
    this.stat(path, done);
  }
  fstat(descriptor: number, done: Done): void {
    const open = this.opened.get(descriptor);
    if (open) done(null, facts(open.file));
    else done(failure("EBADF"));
  }

  mkdir(path: string, _mode: number, done: Done): void {
    if (this.files.has(this.at(path))) return done(failure("EEXIST"));
    this.files.set(this.at(path), this.made(true));
    done(null);
  }

  readdir(path: string, done: Done): void {
    const at = this.at(path);
    const before = at === "/" ? "/" : `${at}/`;
    const names = [...this.files.keys()].filter((name) => name.startsWith(before) && name !== at).map((name) => name.slice(before.length));
    done(null, names.filter((name) => name !== "" && !name.includes("/")).sort());
  }

  rename(from: string, to: string, done: Done): void {
    const file = this.files.get(this.at(from));
    if (!file) return done(failure("ENOENT"));
    this.files.delete(this.at(from));
    this.files.set(this.at(to), file);
    done(null);
  }

  unlink(path: string, done: Done): void {
    done(this.files.delete(this.at(path)) ? null : failure("ENOENT"));
  }
  rmdir(path: string, done: Done): void {
    this.unlink(path, done);
  }

  truncate(path: string, length: number, done: Done): void {
    const file = this.files.get(this.at(path));
    if (file) file.size = Math.min(file.size, length);
    done(file ? null : failure("ENOENT"));
  }
  ftruncate(descriptor: number, length: number, done: Done): void {
    const open = this.opened.get(descriptor);
    if (open) open.file.size = Math.min(open.file.size, length);
    done(open ? null : failure("EBADF"));
  }

  fsync(_descriptor: number, done: Done): void {
    done(null);
  }
  chmod(_path: string, _mode: number, done: Done): void {
    done(null);
  }
  fchmod(_descriptor: number, _mode: number, done: Done): void {
    done(null);
  }
  chown(_path: string, _user: number, _group: number, done: Done): void {
    done(null);
  }
  fchown(_descriptor: number, _user: number, _group: number, done: Done): void {
    done(null);
  }
  lchown(_path: string, _user: number, _group: number, done: Done): void {
    done(null);
  }
  utimes(_path: string, _accessed: number, _modified: number, done: Done): void {
    done(null);
  }
  readlink(_path: string, done: Done): void {
    done(failure("EINVAL"));
  }
  link(_from: string, _to: string, done: Done): void {
    done(failure("ENOSYS"));
  }
  symlink(_from: string, _to: string, done: Done): void {
    done(failure("ENOSYS"));
  }

  private made(isFolder: boolean): File {
    return { folder: isFolder, data: new Uint8Array(0), size: 0, number: this.nextFile++ };
  }
}

function facts(file: File): object {
  return {
    dev: 1, ino: file.number, mode: file.folder ? 0o40755 : 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0,
    size: file.size, blksize: 4096, blocks: Math.ceil(file.size / 512), atimeMs: 0, mtimeMs: 0, ctimeMs: 0,
    isDirectory: () => file.folder,
  };
}
