package anomaly

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
	return &node{isFolder: true, entries: map[string]*node{}, lasting: map[string]*node{}}
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
		if above = above.entries[step]; above == nil || !above.isFolder {
			return nil, "", fmt.Errorf("%s: %s is not a folder", path, step)
		}
	}
	return above, steps[len(steps)-1], nil
}

func (d *disk) do(o operation) error {
	if o.kind == write {
		f := d.files[o.file]
		f.content = append(f.content, o.data...)
		return nil
	}
	if o.kind == flush && o.path == "" {
		d.files[o.file].flush()
		return nil
	}
	if o.path == "" || o.kind == openFolder || o.kind == chmod || o.kind == closeFile {
		return nil
	}
	above, name, err := d.at(o.path)
	if err != nil {
		return nil // of another folder
	}
	if above == nil {
		if o.kind == flush {
			d.root.flush()
		}
		return nil
	}
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
		above.change(change{gone: name, name: newName, node: above.entries[name]})
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

func (n *node) leave(at string, r *rand.Rand) error {
	left := map[string]*node{}
	for name, entry := range n.lasting {
		left[name] = entry
	}
	for _, c := range n.pending[:some(len(n.pending), r)] {
		c.apply(left)
	}
	names := make([]string, 0, len(left))
	for name := range left {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		path, entry := filepath.Join(at, name), left[name]
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
