// Package format opens models in all formats. It is the only package that knows which formats exist
// and that chooses a reader for a file. The choice of the reader depends only on the name of a file
// and on its beginning.
package format

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format/internal/autx"
	"github.com/inev-lts/inev/format/internal/clts"
	"github.com/inev-lts/inev/format/internal/fsm"
	"github.com/inev-lts/inev/format/internal/mcrl2"
	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/format/internal/tlc"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/property/refine"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// Model is a model that was read, with facts about its file.
type Model struct {
	// LTS has its initial state marked if the values of states show that it is artificial.
	LTS *lts.LTS
	// States has the values of states; nil if the file has none, or if
	// Options.States is false and Options.Values nil.
	States *lts.Values
	// Outside are the states that TLC has marked as outside of its constraints, if Options.Constrained
	// accepts them: their steps are unknown.
	Outside []lts.State
	// Format is the format of the file.
	Format *Format
	// Digest is the SHA-256 of all bytes of the file, in hexadecimal digits; ""
	// unless Options.Digest asks for it.
	Digest string
	// File describes the file when [Open] read it, nil if it is not regular.
	File fs.FileInfo

	name string // as in Options.Name
}

// String returns the name of the model if it has one, its size, and its format.
func (m *Model) String() string {
	if m == nil {
		return "<nil>"
	}
	text := m.LTS.String()
	if m.name != "" {
		text = m.name + ": " + text
	}
	if m.Format != nil {
		text += ", " + m.Format.Name
	}
	return text
}

// Options are the settings of reading a model. A format ignores the options
// that it has no use for.
type Options struct {
	// Name, Lenient, Workers and Admit are as in [aut.Options].
	Name    string
	Lenient bool
	Workers int
	Admit   func(states, transitions int64) error
	// Constrained accepts states that TLC has marked as outside of the constraints of a
	// specification, and whose steps are unknown. It is for a caller that removes these states.
	Constrained bool
	// States requests the values of states.
	States bool
	// Network are options of CADP's exp.open for a network, such as -lotos, which say how it is read.
	Network []string
	// Values, if not nil, reads the values of numStates states from elsewhere.
	Values func(numStates int) (*lts.Values, error)
	// Changed, if not nil, replaces the model that was read: it returns the new model and warnings.
	// isMCRL2 reports that the format is one of mCRL2, where tau is the internal action. States
	// keep their numbers.
	Changed func(ctx context.Context, m *lts.LTS, isMCRL2 bool) (*lts.LTS, []string, error)
	// Digest requests the digest of the file, which is hashed as it is read; only
	// [Open] supports it.
	Digest bool
}

// Format is a format of models. It comes from [Of], [ByContent], or a model that was read.
type Format struct {
	// Name is the name of the format for people.
	Name string
	// Suffixes are the suffixes of files in the format, in lower case, with the
	// dot.
	Suffixes []string
	// Meaning is a remark to be shown with a verdict on a model in this format;
	// "" if there is none.
	Meaning string
	// Variables is the customary name, in the language of the specification,
	// for the tuple of all its variables; "" if there is none.
	Variables string

	// begins reports whether the beginning of a text is certainly in this format.
	// It is nil if only names decide.
	begins func(start []byte) bool
	// read reads a file that has been opened, plain or compressed. It is nil if
	// another program must make a model of the file first.
	read func(ctx context.Context, r io.Reader, o plaintext.Options) (*plaintext.Model, []string, error)
	// metered reports that the function read does not count the bytes that it reads, so that [Read]
	// counts them.
	metered bool
	made    bool
}

// String returns the name of the format.
func (f *Format) String() string {
	if f == nil {
		return "<nil>"
	}
	return f.Name
}

// IsConverted reports whether another program makes the model of a file in this
// format. Then messages cannot name lines of the file.
func (f *Format) IsConverted() bool { return f.read == nil || f.made }

// Made returns a copy of the format for files that another program makes: the copy
// counts as converted.
func (f *Format) Made() *Format {
	other := *f
	other.made = true
	return &other
}

// IsAut reports whether the format is .aut: then messages can name lines of the
// file.
func (f *Format) IsAut() bool { return f.Suffixes[0] == ".aut" && !f.made }

// isMCRL2 reports whether the format is one of mCRL2.
func (f *Format) isMCRL2() bool { return f.Suffixes[0] == ".lts" || f.Suffixes[0] == ".fsm" }

// SaysSize reports whether files begin with the numbers of states and
// transitions, so that Options.Admit is called before the model is read.
func (f *Format) SaysSize() bool { return f.IsAut() || f.Suffixes[0] == ".clts" }

// formats returns all formats, the default one first. To add a format, add an
// entry here.
func formats() []*Format {
	return []*Format{
		{Name: ".aut", Suffixes: []string{".aut"}, read: readAut},
		{Name: "CLEAR's .autx", Suffixes: []string{".autx"}, begins: autx.Begins, read: readAutx},
		{
			Name:     "inev's compressed form",
			Suffixes: []string{".clts"},
			begins:   clts.Begins,
			read:     readClts,
			metered:  true,
		},
		{Name: "CADP's BCG format", Suffixes: []string{".bcg"}},
		{Name: "CADP's networks of automata", Suffixes: []string{".exp"}, read: readNetwork},
		{
			Name:     "mCRL2's .lts format",
			Suffixes: []string{".lts"},
			begins:   mcrl2.Begins,
			read:     mcrl2.Read,
			metered:  true,
		},
		{
			Name:     "the .fsm format of mCRL2 and LTSmin",
			Suffixes: []string{".fsm"},
			begins:   fsm.Begins,
			read:     fsm.Read,
			metered:  true,
		},
		{
			Name:      "TLC's state graph",
			Suffixes:  []string{".dot"},
			begins:    tlc.Begins,
			read:      tlc.Read,
			Meaning:   "inev assumes that a run continues as long as any step is possible, even one that changes nothing; WF_vars(Next), which ignores such steps, is the assumption weak!:*; without fairness, TLA+ lets every behaviour stutter forever",
			Variables: "vars",
		},
	}
}

// readAut reads a model in the .aut format.
func readAut(
	ctx context.Context,
	r io.Reader,
	o plaintext.Options,
) (*plaintext.Model, []string, error) {
	m, warnings, err := aut.Read(ctx, r, aut.Options{
		Name:    o.Name,
		Lenient: o.Lenient,
		Workers: o.Workers,
		Admit:   o.Admit,
	})
	return &plaintext.Model{LTS: m}, warnings, err
}

func readAutx(
	ctx context.Context,
	r io.Reader,
	o plaintext.Options,
) (*plaintext.Model, []string, error) {
	m, warnings, err := autx.Read(ctx, r, o)
	if err != nil {
		return nil, nil, err
	}
	return &plaintext.Model{LTS: m.LTS}, warnings, nil
}

func readClts(
	ctx context.Context,
	r io.Reader,
	o plaintext.Options,
) (*plaintext.Model, []string, error) {
	m, err := clts.Read(ctx, r, o)
	return &plaintext.Model{LTS: m}, nil, err
}

// Of returns the format of a file: the format that its beginning certainly has,
// otherwise that of its name, otherwise .aut, whose reader gives the best
// messages about a file of no known format. start may be empty; startSize bytes
// are enough. A suffix of compression is ignored. Cost O(len(start)).
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

// ByContent returns the format that a text with this beginning certainly has;
// false if no format is certain, as .aut never is. Cost O(len(start)).
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
	isCompressed := slices.Contains([]string{".gz", ".zst", ".bz2"}, strings.ToLower(last))
	if !isCompressed {
		return strings.ToLower(last)
	}
	decompressedName := strings.TrimSuffix(name, last)
	return strings.ToLower(filepath.Ext(decompressedName))
}

// Open reads the model in a file, and returns warnings with it, each of one line.
// An empty Options.Name becomes path.
//
// It runs no program: for a file named .bcg the error has the command that converts it.
// The command inev converts such files, and so does [github.com/inev-lts/inev/inevtest.Open].
//
// A file that changes while it is read is an error, because the result might mix
// two versions. A file that is replaced meanwhile counts as changed.
//
// Errors are of type [aut.Error], or the error of a context that is done, which
// also ends the waiting for a named pipe or a terminal. Cost: that of the
// format's reader.
func Open(ctx context.Context, path string, o Options) (*Model, []string, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return nil, nil, err
	}
	o.Name = cmp.Or(o.Name, path)
	f := Of(path, nil)
	if f.IsConverted() {
		if err := inputfile.CheckModel(path, o.Name); err != nil {
			return nil, nil, err
		}
		return nil, nil, inputfile.NewError(o.Name, 0,
			errors.New("this is "+f.Name+
				", which has to be converted first, by bcg_io of CADP: bcg_io "+path+
				" FILE.aut"))
	}
	file, err := inputfile.OpenModel(ctx, path, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	in := newContent(file, path, o.Digest)
	m, warnings, err := read(ctx, in.Reader, path, o)
	if err == nil {
		m.File = in.before
		m.Digest, err = in.end(ctx, o.Name)
	}
	if err != nil {
		return nil, nil, err
	}
	return m, warnings, nil
}

// Read reads a model, plain or compressed, as [Open] does. The format is chosen
// by the beginning of the text, or else by Options.Name. A model that must be
// converted has to be in a file.
func Read(ctx context.Context, r io.Reader, o Options) (*Model, []string, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("r", r),
	); err != nil {
		return nil, nil, err
	}
	return read(ctx, r, "", o)
}

// checkLabels fails if a label is too long.
func checkLabels(labels *lts.Alphabet, file string) error {
	for _, text := range labels.All() {
		if len(text) > inputfile.MaxLabel {
			return &inputfile.Error{File: file, Message: inputfile.LongLabel(len(text))}
		}
	}
	return nil
}

// read reads the model of a file; names in it are relative to the folder of path.
func read(ctx context.Context, r io.Reader, path string, o Options) (*Model, []string, error) {
	r, start := begin(r)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	f := Of(cmp.Or(path, o.Name), start) // o.Name is the file from which another program has made the model
	if f.IsConverted() {
		f = formats()[0]
	}
	if f.metered {
		r = metered(ctx, r)
	}
	m, warnings, err := f.read(ctx, r, plaintext.Options{
		Name:        o.Name,
		Path:        path,
		Lenient:     o.Lenient,
		Constrained: o.Constrained,
		States:      o.States,
		Workers:     o.Workers,
		Admit:       o.Admit,
		Network:     o.Network,
	})
	if err != nil {
		return nil, nil, err
	}
	if err := checkLabels(m.LTS.Alphabet(), o.Name); err != nil {
		return nil, nil, err
	}
	if o.Changed != nil {
		changed, more, err := o.Changed(ctx, m.LTS, f.isMCRL2())
		if err != nil {
			return nil, nil, err
		}
		m.LTS = changed
		warnings = append(warnings, more...)
	}
	if o.Values != nil {
		m.States, err = o.Values(m.LTS.NumStates())
		if err != nil {
			return nil, nil, err
		}
	}
	m.LTS, err = refine.Marked(ctx, m.States, m.LTS)
	if err != nil {
		return nil, nil, err
	}
	return &Model{
		LTS:     m.LTS,
		States:  m.States,
		Outside: m.Outside,
		Format:  f,
		name:    o.Name,
	}, warnings, nil
}

// startSize is the number of bytes at the beginning of a file that may determine
// its format.
const startSize = 16 << 10

// begin returns the beginning of a text, decompressed, and a reader of the whole
// text. It returns a reader that supports random access unchanged, since readers
// on several cores need that.
func begin(r io.Reader) (whole io.Reader, start []byte) {
	if text, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	}); ok {
		if at, err := text.Seek(0, io.SeekCurrent); err == nil {
			return r, startOf(io.NewSectionReader(text, at, 1<<62-at))
		}
	}
	left := lineblocks.Remaining(r)
	buffered := bufio.NewReaderSize(r, startSize)
	raw, _ := buffered.Peek(startSize) // a later reader meets the same error
	whole = &counted{r: buffered, left: left, tell: func([]byte) {}}
	return whole, startOf(bytes.NewReader(raw))
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

// WriteAUTX writes the reachable part of a model in CLEAR's format: colours for
// the classes of its transitions, kinds of states for the kinds of its
// neighbourhoods, lines sorted by source and target. CLEAR uses the
// [neighbourhood.Some] reading. A warning names the first label that CLEAR's
// visualiser cuts off because of a comma or colon. It fails if w does, and before
// it has written anything if a label has a line feed. Cost O(T log T).
func WriteAUTX(w io.Writer, n *neighbourhood.Classification) (warnings []string, err error) {
	if err := cmp.Or(
		required.Argument("w", w),
		required.Argument("n", n),
	); err != nil {
		return nil, err
	}
	return autx.Write(w, n)
}

// WriteCompressed writes a model in .clts, a compressed format of inev: 2 to 4
// bytes a transition, in blocks with checksums, read several times as fast as
// text. The file has the transitions by ascending source, those of a state in
// their order; labels with the same text become one label. It fails if w does,
// or if the model has 2³² transitions or more. Cost O(S + T) time, and memory
// for the labels.
func WriteCompressed(w io.Writer, m *lts.LTS) error {
	if err := cmp.Or(
		required.Argument("w", w),
		required.Argument("m", m),
	); err != nil {
		return err
	}
	return clts.Write(w, m)
}

// WriteMCRL2 writes a model in a format of mCRL2, by the suffix .lts or .fsm, with the values of
// its states unless they are nil. In .lts, arguments of labels are numbers, truth values, or
// constants of a sort that the file declares. A warning names what the file cannot preserve, or a
// label that mCRL2 cannot read, such as a|. The format .fsm, which LTSmin also reads, has no quotes
// in values: they become apostrophes, with a warning. It fails if w does. It fails before it has
// written anything if a label has more than 1 MiB, or, in .fsm, a quote. Cost O(S parameters + T).
func WriteMCRL2(
	w io.Writer,
	suffix string,
	m *lts.LTS,
	values *lts.Values,
) (warnings []string, err error) {
	if err := cmp.Or(
		required.Argument("w", w),
		required.Argument("m", m),
	); err != nil {
		return nil, err
	}
	write := fsm.Write
	if suffix == ".lts" {
		write = mcrl2.Write
	}
	warnings, err = write(w, m, values)
	if err != nil {
		return warnings, err
	}
	return append(warnings, mcrl2.RefusedLabel(m)...), nil
}

// errChanged is the error of a file that changed while it was read.
var errChanged = errors.New("changed while it was being read: wait until it is complete, and run this again")

// content is a file that is being read. It detects that the file changes
// meanwhile, and computes its digest if requested.
type content struct {
	io.Reader
	path   string
	file   *os.File // nil if the input is no file of the operating system
	before fs.FileInfo
	sum    hash.Hash // nil if no digest is asked for
}

// newContent returns the content of a file, to be read once. If it is a file of the operating
// system, its state is recorded, so that a change during the reading is noticed. With digest, the
// bytes are hashed as they are read.
func newContent(file io.Reader, path string, digest bool) *content {
	c := &content{Reader: file, path: path}
	if opened, isOSFile := file.(*os.File); isOSFile {
		info, err := opened.Stat()
		if err == nil {
			c.file = opened
			c.before = info
		}
	}
	if digest {
		c.sum = sha256.New()
		c.Reader = &counted{
			r:    file,
			left: lineblocks.Remaining(file),
			tell: func(data []byte) { c.sum.Write(data) },
		}
	}
	return c
}

// end returns the digest of the whole file once its model was read. It fails if
// the times or the length of the file have changed since it was opened.
func (c *content) end(ctx context.Context, name string) (digest string, err error) {
	if c.sum != nil {
		_, err := io.Copy(io.Discard, stoppable.EachRead(ctx, c.Reader)) // the bytes after those of the model
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil:
			return "", inputfile.FileError(name, err)
		}
		digest = hex.EncodeToString(c.sum.Sum(nil))
	}
	if c.file == nil {
		return digest, nil
	}
	now, err := c.file.Stat()
	if err != nil {
		return "", inputfile.FileError(name, err)
	}
	// A file has not changed if only its name was removed.
	there, gone := os.Stat(c.path)
	isReplaced := gone == nil && !os.SameFile(c.before, there)
	if isReplaced || !inputfile.Unchanged(c.before, now) {
		return "", inputfile.NewError(name, 0, errChanged)
	}
	return digest, nil
}

// counted is a reader of a text that also counts how many bytes of the text are left.
type counted struct {
	r    io.Reader
	left int64 // 0 or less if it is not known
	tell func(data []byte)
}

// Len returns how many bytes are left to be read, -1 if that is unknown.
func (c *counted) Len() int {
	if c.left <= 0 {
		return -1
	}
	return int(c.left)
}

func (c *counted) Read(data []byte) (int, error) {
	n, err := c.r.Read(data)
	c.left -= int64(n)
	c.tell(data[:n])
	return n, err
}

// metered returns a reader of r that counts the bytes read in the phase "read",
// for formats whose readers do not.
func metered(ctx context.Context, r io.Reader) io.Reader {
	left := lineblocks.Remaining(r)
	meter := progress.Start(ctx, "read", progress.Bytes, max(0, left))
	return &counted{
		r:    r,
		left: left,
		tell: func(data []byte) { meter.Add(int64(len(data))) },
	}
}
