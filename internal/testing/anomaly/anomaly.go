// Package anomaly replaces the file system in tests, after the example of SQLite's tests: it lets
// one operation fail, or forgets what was not flushed, like a disk that loses its power. Operations
// are numbered in the order of time, and the system itself does all operations that do not fail.
package anomaly

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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

var kinds = [...]string{
	"open a folder",
	"make folders",
	"create",
	"open to append",
	"mkdir",
	"rename",
	"remove",
	"remove all",
	"write",
	"chmod",
	"fsync",
	"close",
}

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

// do does operations one at a time. If the operation o is to succeed, do calls whole. If it is to
// fail and is a write, do calls half, which does half of the write.
func (s *System) do(o operation, whole func() error, half func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.count
	s.count++
	removes := o.kind == remove || o.kind == removeAll || o.kind == closeFile
	isFault := at == s.fault.At
	isLaterFault := s.fault.Stays && at > s.fault.At && !removes
	if s.fault.Err != nil && (isFault || isLaterFault) {
		if s.failed == "" {
			s.failed = kinds[o.kind] + " " + o.path
		}
		if half != nil {
			half()
		}
		return &fs.PathError{Op: kinds[o.kind], Path: o.path, Err: s.fault.Err}
	}
	err := whole()
	if err != nil {
		o = operation{kind: openFolder} // so that the numbers of operations stay
	}
	s.log = append(s.log, o)
	return err
}

// MkdirAll makes a folder, with those above it.
func (s *System) MkdirAll(path string) error {
	return s.do(operation{kind: makeAll, path: absolute(path)},
		func() error { return filesystem.OS{}.MkdirAll(path) }, nil)
}

// Open opens a folder.
func (s *System) Open(path string) (f filesystem.Folder, err error) {
	err = s.do(operation{kind: openFolder, path: absolute(path)}, func() (err error) {
		f, err = filesystem.OS{}.Open(path)
		return err
	}, nil)
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
	return f.open(f.operation(create, name), func() (filesystem.File, error) {
		return f.Folder.Create(name, mode)
	})
}

func (f *folder) Append(name string) (filesystem.File, error) {
	return f.open(f.operation(appendTo, name), func() (filesystem.File, error) {
		return f.Folder.Append(name)
	})
}

// open opens a file by the function open, as the operation o, and numbers the file.
func (f *folder) open(
	o operation,
	open func() (filesystem.File, error),
) (opened filesystem.File, err error) {
	f.system.mu.Lock()
	o.file = f.system.files
	f.system.files++
	f.system.mu.Unlock()
	err = f.system.do(o, func() (err error) {
		opened, err = open()
		return err
	}, nil)
	if err != nil {
		return nil, err
	}
	return &file{opened, f.system, o.path, o.file}, nil
}

func (f *folder) Mkdir(name string) error {
	return f.system.do(f.operation(makeFolder, name),
		func() error { return f.Folder.Mkdir(name) }, nil)
}

func (f *folder) Rename(from, to string) error {
	o := f.operation(rename, from)
	o.to = path.Join(f.path, to)
	return f.system.do(o, func() error { return f.Folder.Rename(from, to) }, nil)
}

func (f *folder) Remove(name string) error {
	return f.system.do(f.operation(remove, name), func() error {
		return f.Folder.Remove(name)
	},
		nil)
}

func (f *folder) RemoveAll(name string) error {
	return f.system.do(f.operation(removeAll, name),
		func() error { return f.Folder.RemoveAll(name) }, nil)
}

func (f *folder) Sync(name string) error {
	// Nothing is flushed to the real disk, which loses no power.
	return f.system.do(f.operation(flush, name), func() error {
		_, err := f.Lstat(name)
		return err
	}, nil)
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
	o.data = slices.Clone(p)
	err = f.system.do(o, func() (err error) {
		n, err = f.File.Write(p)
		return err
	}, func() {
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
	return f.system.do(f.operation(closeFile), f.File.Close, func() {
		_ = f.File.Close()
	})
}

// node is a file or a folder on a disk, as programs see it, and the part of it
// that survives a power loss.
type node struct {
	isFolder bool
	// entries are the names in a folder as programs see them, lasting the names that survive;
	// pending are the changes since the folder was flushed, in their order.
	entries, lasting map[string]*node
	pending          []change
	// content is what the file holds now; flushed is the content that survives.
	content, flushed []byte
}

// change is the change of a folder: a name that a node gets, or a name that is removed, or both.
type change struct {
	gone, name string
	node       *node
}

func newFolder() *node {
	return &node{
		isFolder: true,
		entries:  map[string]*node{},
		lasting:  map[string]*node{},
	}
}

func (c change) apply(entries map[string]*node) {
	delete(entries, c.gone)
	if c.node != nil {
		entries[c.name] = c.node
	}
}

func (n *node) change(c change) {
	c.apply(n.entries)
	n.pending = append(n.pending, c)
}

func (n *node) flush() {
	n.flushed = slices.Clone(n.content)
	for _, c := range n.pending {
		c.apply(n.lasting)
	}
	n.pending = nil
}

// disk is a folder, empty at the beginning, and the effects of all operations in
// it.
type disk struct {
	base  string
	root  *node
	files map[int]*node
}

// at returns the parent folder of a path, and the last element of the path.
func (d *disk) at(path string) (above *node, name string, err error) {
	local, err := filepath.Rel(d.base, path)
	if err != nil || !filepath.IsLocal(local) {
		return nil, "", fmt.Errorf("%s: not below %s", path, d.base)
	}
	if local == "." {
		return nil, "", nil
	}
	above = d.root
	steps := strings.Split(filepath.ToSlash(local), "/")
	for _, step := range steps[:len(steps)-1] {
		above = above.entries[step]
		if above == nil || !above.isFolder {
			return nil, "", fmt.Errorf("%s: %s is not a folder", path, step)
		}
	}
	return above, steps[len(steps)-1], nil
}

// do carries out an operation on the simulated disk, as the real file system did. It fails if the
// disk cannot simulate the operation.
func (d *disk) do(o operation) error {
	switch {
	case o.kind == write:
		f := d.files[o.file]
		f.content = append(f.content, o.data...)
		return nil
	case o.kind == flush && o.path == "":
		d.files[o.file].flush()
		return nil
	case o.path == "" || slices.Contains(withoutEffect, o.kind):
		return nil
	}
	above, name, err := d.at(o.path)
	isElsewhere := err != nil
	switch {
	case isElsewhere:
		return nil
	case above == nil && o.kind == flush:
		d.root.flush()
		return nil
	case above == nil:
		return nil
	}
	return d.doIn(above, name, o)
}

// withoutEffect are the kinds of operations that do not change what a power loss leaves.
var withoutEffect = []kind{openFolder, chmod, closeFile}

// doIn carries out an operation on an entry of a folder.
func (d *disk) doIn(above *node, name string, o operation) error {
	switch o.kind {
	case create, appendTo:
		f := above.entries[name]
		if f == nil || o.kind == create {
			f = &node{}
			above.change(change{name: name, node: f})
		}
		d.files[o.file] = f
	case makeFolder, makeAll:
		if above.entries[name] == nil {
			above.change(change{name: name, node: newFolder()})
		}
	case rename:
		to, newName, err := d.at(o.to)
		if err != nil || to != above {
			return errors.New(o.to + ": renamed into another folder, which is not simulated")
		}
		above.change(change{
			gone: name,
			name: newName,
			node: above.entries[name],
		})
	case remove, removeAll:
		above.change(change{gone: name})
	case flush:
		above.entries[name].flush()
	}
	return nil
}

// Lose fills an empty folder, to, with what may be left of the folder base if the power is lost
// after this many operations in base: everything that was flushed and, as the random numbers of
// r choose, some of the other changes. Names survive in the order of their creation; of a file,
// its beginning or zeros survive. The folder base was empty when the system was created.
func (s *System) Lose(base string, operations int, to string, r *rand.Rand) error {
	s.mu.Lock()
	log := s.log[:min(operations, len(s.log))]
	s.mu.Unlock()
	d := &disk{base: absolute(base), root: newFolder(), files: map[int]*node{}}
	for _, o := range log {
		if err := d.do(o); err != nil {
			return err
		}
	}
	return d.root.leave(to, r)
}

// leave writes a folder as a crash may leave it: with what was flushed, and with some of the changes that were
// not.
func (n *node) leave(at string, r *rand.Rand) error {
	left := maps.Clone(n.lasting)
	for _, c := range n.pending[:some(len(n.pending), r)] {
		c.apply(left)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		path := filepath.Join(at, name)
		entry := left[name]
		if entry.isFolder {
			if err := os.Mkdir(path, 0o755); err != nil {
				return err
			}
			if err := entry.leave(path, r); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(path, entry.remains(r), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// remains returns the content of a file after a power loss.
func (n *node) remains(r *rand.Rand) []byte {
	rest := n.content[len(n.flushed):]
	if len(rest) > 0 && r.IntN(4) == 0 {
		return append(slices.Clone(n.flushed), make([]byte, len(rest))...)
	}
	return n.content[:len(n.flushed)+some(len(rest), r)]
}

// some returns 0, all, or a number in between.
func some(all int, r *rand.Rand) int {
	switch r.IntN(3) {
	case 0:
		return 0
	case 1:
		return all
	}
	return r.IntN(all + 1)
}
