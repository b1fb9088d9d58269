// Package anomaly replaces the file system in tests, after the example of SQLite's tests: it lets
// one operation fail, or forgets what was not flushed, like a disk that loses its power.
//
// The invariant that holds inside: operations are numbered in the order of time, and the system
// itself does all operations that do not fail.
package anomaly

import (
	"io/fs"
	"path"
	"path/filepath"
	"sync"

	"github.com/inev-lts/inev/internal/filesystem"
)

// Fault chooses the operation that fails, and its error. If Err is nil, none fails.
type Fault struct {
	// At is the number of the operation, from 0.
	At int
	// Err is the error of the operation. A write writes half of its data before
	// it fails.
	Err error
	// Stays lets all later operations fail, too, except those that remove or
	// close something.
	Stays bool
}

// kind is the kind of an operation.
type kind uint8

const (
	openFolder kind = iota
	makeAll
	create
	appendTo
	makeFolder
	rename
	remove
	removeAll
	write
	chmod
	flush
	closeFile
)

var kinds = [...]string{"open a folder", "make folders", "create", "open to append", "mkdir", "rename", "remove", "remove all", "write", "chmod", "fsync", "close"}

// operation is an operation that took place.
type operation struct {
	kind kind
	// path is absolute; to is the new path of a renaming.
	path, to string
	// file is the number of the opened file.
	file int
	data []byte
}

// System is the file system of this machine with a fault.
type System struct {
	mu     sync.Mutex
	fault  Fault
	count  int
	files  int
	failed string
	log    []operation
}

// New returns a system with a fault.
func New(f Fault) *System { return &System{fault: f} }

// Count returns how many operations there were.
func (s *System) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Failed describes the first operation that failed, "" if none has.
func (s *System) Failed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// do does operations one at a time, unless the operation is to fail. If it is a write that is to
// fail, half does half of it.
func (s *System) do(o operation, whole func() error, half func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.count
	s.count++
	removes := o.kind == remove || o.kind == removeAll || o.kind == closeFile
	if s.fault.Err != nil && (at == s.fault.At || s.fault.Stays && at > s.fault.At && !removes) {
		if s.failed == "" {
			s.failed = kinds[o.kind] + " " + o.path
		}
		if half != nil {
			half()
		}
		return &fs.PathError{Op: kinds[o.kind], Path: o.path, Err: s.fault.Err}
	}
	err := whole()
	if err == nil {
		s.log = append(s.log, o)
	} else {
		s.log = append(s.log, operation{kind: openFolder}) // so that the numbers of operations stay
	}
	return err
}

// MkdirAll makes a folder, with those above it.
func (s *System) MkdirAll(path string) error {
	return s.do(operation{kind: makeAll, path: absolute(path)}, func() error { return filesystem.OS{}.MkdirAll(path) }, nil)
}

// Open opens a folder.
func (s *System) Open(path string) (f filesystem.Folder, err error) {
	err = s.do(operation{kind: openFolder, path: absolute(path)}, func() (err error) { f, err = filesystem.OS{}.Open(path); return err }, nil)
	if err != nil {
		return nil, err
	}
	return &folder{f, s, absolute(path)}, nil
}

func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return filepath.ToSlash(abs)
	}
	return name
}

// folder counts the operations in a folder.
type folder struct {
	filesystem.Folder
	system *System
	path   string
}

func (f *folder) operation(k kind, name string) operation {
	return operation{kind: k, path: path.Join(f.path, name)}
}

func (f *folder) Create(name string, mode fs.FileMode) (filesystem.File, error) {
	return f.open(f.operation(create, name), func() (filesystem.File, error) { return f.Folder.Create(name, mode) })
}

func (f *folder) Append(name string) (filesystem.File, error) {
	return f.open(f.operation(appendTo, name), func() (filesystem.File, error) { return f.Folder.Append(name) })
}

func (f *folder) open(o operation, open func() (filesystem.File, error)) (opened filesystem.File, err error) {
	f.system.mu.Lock()
	o.file = f.system.files
	f.system.files++
	f.system.mu.Unlock()
	err = f.system.do(o, func() (err error) { opened, err = open(); return err }, nil)
	if err != nil {
		return nil, err
	}
	return &file{opened, f.system, o.path, o.file}, nil
}

func (f *folder) Mkdir(name string) error {
	return f.system.do(f.operation(makeFolder, name), func() error { return f.Folder.Mkdir(name) }, nil)
}

func (f *folder) Rename(from, to string) error {
	o := f.operation(rename, from)
	o.to = path.Join(f.path, to)
	return f.system.do(o, func() error { return f.Folder.Rename(from, to) }, nil)
}

func (f *folder) Remove(name string) error {
	return f.system.do(f.operation(remove, name), func() error { return f.Folder.Remove(name) }, nil)
}

func (f *folder) RemoveAll(name string) error {
	return f.system.do(f.operation(removeAll, name), func() error { return f.Folder.RemoveAll(name) }, nil)
}

func (f *folder) Sync(name string) error {
	// Nothing is flushed to the real disk, which loses no power.
	return f.system.do(f.operation(flush, name), func() error { _, err := f.Lstat(name); return err }, nil)
}

// file counts the operations on a file.
type file struct {
	filesystem.File
	system *System
	path   string
	number int
}

func (f *file) operation(k kind) operation {
	return operation{kind: k, path: f.path, file: f.number}
}

func (f *file) Write(p []byte) (n int, err error) {
	o := f.operation(write)
	o.data = append([]byte(nil), p...)
	err = f.system.do(o, func() (err error) { n, err = f.File.Write(p); return err }, func() {
		n, _ = f.File.Write(p[:len(p)/2])
	})
	return n, err
}

func (f *file) Chmod(mode fs.FileMode) error {
	return f.system.do(f.operation(chmod), func() error { return f.File.Chmod(mode) }, nil)
}

func (f *file) Sync() error {
	o := f.operation(flush)
	o.path = ""
	return f.system.do(o, func() error { return nil }, nil)
}

func (f *file) Close() error {
	return f.system.do(f.operation(closeFile), f.File.Close, func() { _ = f.File.Close() })
}
