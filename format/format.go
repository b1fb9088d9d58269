// Package format opens models, whatever format they are written in. It is the one
// place that knows which formats there are, and that picks the reader.
//
// The invariant that holds inside: which reader is picked depends on the name of a
// file and on how it begins, and on nothing else.
package format

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format/internal/autx"
	"github.com/inev-lts/inev/format/internal/clts"
	"github.com/inev-lts/inev/format/internal/fsm"
	"github.com/inev-lts/inev/format/internal/mcrl2"
	"github.com/inev-lts/inev/format/internal/tlc"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// Model is what a file holds.
type Model struct {
	LTS *lts.LTS
	// States has the values of states, nil if the file has none or none were asked for.
	States *states.Table
	// Format is that of the file.
	Format *Format
	// Digest is the SHA-256 of the bytes that the model was made of, all of the file, in
	// hexadecimal digits; "" if Options.Digest does not ask for it.
	Digest string
	// File describes the file as it was when [Open] read it, nil if it is no regular one;
	// see [Unchanged].
	File fs.FileInfo
}

// Options say how a model is read. Formats that need no leniency, have no header to
// admit, no use for workers and no values of states pay no heed to these.
type Options struct {
	// Name, Lenient, Workers and Admit are as in [aut.Options].
	Name    string
	Lenient bool
	Workers int
	Admit   func(states, transitions int64) error
	// States asks for the values of states.
	States bool
	// Digest asks for that of the file, which is hashed as it is read; only [Open] heeds it.
	Digest bool
}

func (o Options) aut() aut.Options {
	return aut.Options{Name: o.Name, Lenient: o.Lenient, Workers: o.Workers, Admit: o.Admit}
}

// Format is how models are written.
type Format struct {
	// Name is what people call it.
	Name string
	// Suffixes are the suffixes of its files, in lower case, with the dot.
	Suffixes []string
	// Meaning is what has to be said with a verdict on such a model, "" if nothing has.
	Meaning string
	// Variables is what the tuple of all variables is called where the model comes from, by
	// custom; "" if there is none.
	Variables string

	// begins reports whether a text begins as one in this format does, and as none in
	// another. It is nil if only names tell.
	begins func(start []byte) bool
	// read reads a file that has been opened, plain or compressed. It is nil if another
	// program has to make a model of it first.
	read func(ctx context.Context, r io.Reader, o Options) (*Model, []string, error)
	made bool
}

// IsConverted reports whether files of the format are read by way of another program. Messages
// about such a file cannot name its lines.
func (f *Format) IsConverted() bool { return f.read == nil || f.made }

// Made returns the format of files that another program makes of those that are named.
func (f *Format) Made() *Format {
	other := *f
	other.made = true
	return &other
}

// IsAut reports whether it is .aut, whose lines can be named.
func (f *Format) IsAut() bool { return f.Suffixes[0] == ".aut" && !f.made }

// SaysSize reports whether files begin with the numbers of states and transitions, so that
// Options.Admit gets them before the model is read.
func (f *Format) SaysSize() bool { return f.IsAut() || f.Suffixes[0] == ".clts" }

// formats returns all formats, the default one first. A new one is a new entry here.
func formats() []*Format {
	return []*Format{
		{Name: ".aut", Suffixes: []string{".aut"}, read: readAut},
		{Name: "CLEAR's .autx", Suffixes: []string{".autx"}, begins: autx.Begins, read: readAutx},
		{Name: "inev's compressed form", Suffixes: []string{".clts"}, begins: clts.Begins, read: readClts},
		{Name: "CADP's BCG format", Suffixes: []string{".bcg"}},
		{Name: "mCRL2's .lts format", Suffixes: []string{".lts"}, begins: mcrl2.Begins, read: readMcrl2},
		{Name: "the .fsm format of mCRL2 and LTSmin", Suffixes: []string{".fsm"}, begins: fsm.Begins, read: readFsm},
		{Name: "TLC's state graph", Suffixes: []string{".dot"}, begins: tlc.Begins, read: readTLC,
			Meaning: "runs are taken to go on as long as they can, as under WF_vars(Next); without that, TLA+ lets every behaviour stutter for ever", Variables: "vars"},
	}
}

func readAut(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	m, warnings, err := aut.Read(ctx, r, o.aut())
	return &Model{LTS: m}, warnings, err
}

func readAutx(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	m, warnings, err := autx.Read(ctx, r, autx.Options{Name: o.Name, Lenient: o.Lenient})
	if err != nil {
		return nil, nil, err
	}
	return &Model{LTS: m.LTS}, warnings, nil
}

func readClts(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	m, err := clts.Read(ctx, metered(ctx, r), clts.Options{Name: o.Name, Workers: o.Workers, Admit: o.Admit})
	if err != nil {
		return nil, nil, err
	}
	return &Model{LTS: m}, nil, nil
}

func readMcrl2(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	m, warnings, err := mcrl2.Read(ctx, metered(ctx, r), mcrl2.Options{Name: o.Name, States: o.States, Workers: o.Workers})
	if err != nil {
		return nil, nil, err
	}
	return &Model{LTS: m.LTS, States: m.States}, warnings, nil
}

func readFsm(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	m, warnings, err := fsm.Read(ctx, metered(ctx, r), fsm.Options{Name: o.Name, Lenient: o.Lenient, States: o.States})
	if err != nil {
		return nil, nil, err
	}
	return &Model{LTS: m.LTS, States: m.States}, warnings, nil
}

func readTLC(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	m, warnings, err := tlc.Read(ctx, r, tlc.Options{Name: o.Name, Lenient: o.Lenient, States: o.States, Workers: o.Workers})
	if err != nil {
		return nil, nil, err
	}
	return &Model{LTS: m.LTS, States: m.States}, warnings, nil
}

// Of returns the format of a file: the one that its beginning is sure of, else the one
// of its name, else .aut, whose reader explains best what something else is. start may
// be empty; startSize bytes are enough. A suffix of compression does not count. Cost
// O(len(start)).
func Of(name string, start []byte) *Format {
	if f, sure := ByContent(start); sure {
		return f
	}
	all := formats()
	suffix := Suffix(name)
	for _, f := range all {
		if slices.Contains(f.Suffixes, suffix) {
			return f
		}
	}
	return all[0]
}

// ByContent returns the format that a text of this beginning is sure to have; false if
// none is sure, as .aut never is. Cost O(len(start)).
func ByContent(start []byte) (*Format, bool) {
	for _, f := range formats() {
		if f.begins != nil && f.begins(start) {
			return f, true
		}
	}
	return nil, false
}

// Suffix returns the suffix of a file name in lower case, without the suffix of a compression.
func Suffix(name string) string {
	last := filepath.Ext(name)
	if rest := strings.TrimSuffix(name, last); slices.Contains([]string{".gz", ".zst", ".bz2"}, strings.ToLower(last)) {
		last = filepath.Ext(rest)
	}
	return strings.ToLower(last)
}

// Open reads the model in a file, and returns warnings with it, each of one line.
// Options.Name need not be given: it is path then.
//
// No program is run: of a file named .bcg the error says how it is converted. Package frontend has that
// done.
//
// A file that changes while it is read is an error: what was read may be partly the one
// and partly the other. One that another takes the place of counts as changed.
//
// Errors are of type *[aut.Error], or the error of a context that is done, which also
// ends the waiting for a named pipe or a terminal. Cost: as the format's reader.
func Open(ctx context.Context, path string, o Options) (*Model, []string, error) {
	if o.Name == "" {
		o.Name = path
	}
	if f := Of(path, nil); f.IsConverted() {
		if err := inputfile.CheckModel(path, o.Name); err != nil {
			return nil, nil, err
		}
		return nil, nil, inputfile.NewError(o.Name, 0, errors.New("this is "+f.Name+", which has to be converted first, by bcg_io of CADP: bcg_io "+path+" FILE.aut"))
	}
	file, err := inputfile.OpenModel(ctx, path, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	in := newContent(file, path, o.Digest)
	m, warnings, err := Read(ctx, in.Reader, o)
	if err == nil {
		m.File = in.before
		m.Digest, err = in.end(ctx, o.Name)
	}
	if err != nil {
		return nil, nil, err
	}
	return m, warnings, nil
}

// Read reads a model, plain or compressed, as [Open] does. Options.Name is the name by
// which the format is picked where the beginning does not tell. What would have to be
// converted has to be in a file.
func Read(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	r, start := begin(r)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	f := Of(o.Name, start)
	if f.IsConverted() {
		f = formats()[0]
	}
	m, warnings, err := f.read(ctx, r, o)
	return f.model(o.Name, m, warnings, err)
}

// model returns a model that was read as one of this format.
func (f *Format) model(name string, m *Model, warnings []string, err error) (*Model, []string, error) {
	if err != nil {
		return nil, nil, err
	}
	for _, text := range m.LTS.Alphabet().All() {
		if len(text) > inputfile.MaxLabel {
			return nil, nil, &aut.Error{File: name, Message: inputfile.LongLabel(len(text))}
		}
	}
	m.Format = f
	return m, warnings, nil
}

// startSize is how many bytes at the beginning of a file may tell its format.
const startSize = 16 << 10

// begin returns the beginning of a text, decompressed, and a reader of all of it. What
// can be read in any order, as readers that use several cores do, is left as it is.
func begin(r io.Reader) (whole io.Reader, start []byte) {
	if hashing, is := r.(*hashed); is {
		return r, startOf(bytes.NewReader(hashing.peek()))
	}
	if text, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	}); ok {
		if at, err := text.Seek(0, io.SeekCurrent); err == nil {
			return r, startOf(io.NewSectionReader(text, at, 1<<62-at))
		}
	}
	buffered := bufio.NewReaderSize(r, startSize)
	raw, _ := buffered.Peek(startSize) // whoever reads on meets the same error
	return buffered, startOf(bytes.NewReader(raw))
}

// startOf returns the beginning of a text that may be compressed, as far as it can be
// read.
func startOf(r io.Reader) []byte {
	text, err := compressed.NewReader(r, 1)
	if err != nil {
		return nil
	}
	defer text.Close()
	start, _ := io.ReadAll(io.LimitReader(text, startSize))
	return start
}
