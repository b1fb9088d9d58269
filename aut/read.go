package aut

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"runtime"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
)

// Options say how a file is read. The zero value is strict.
type Options struct {
	// Name is the name of the file in errors and warnings.
	Name string
	// Lenient accepts, with a warning for each kind, what a strict reading takes
	// as signs of a damaged file: a number of transitions other than the declared
	// one, a last line that is cut off (it is left out), and state numbers that
	// are not below the declared number of states. The LTS then has the states up
	// to the largest number found.
	Lenient bool
	// Workers is the number of goroutines that read; 0 stands for as many as
	// there are processors to run them. Results do not depend on it.
	Workers int
	// Admit, if not nil, is called with the size of the LTS as soon as the header
	// is read; its error ends the reading. The numbers are those of the header,
	// but no larger than the length of the file allows.
	Admit func(states, transitions int64) error
}

// Read reads an LTS from .aut text, plain or compressed by gzip, zstd or bzip2,
// which it recognises by the first bytes. It also returns warnings, each of one
// line, none in a strict reading.
//
// Errors are of type *[Error], or the error of a context that is done: ctx is
// checked before every read and every block of lines. The LTS has at most 64
// states for every transition and 1,000,000 more; a file that declares more is
// refused, because a few bytes of text could otherwise claim all memory.
//
// A regular file, a *[bytes.Reader] and a *[strings.Reader] are read at several
// offsets at a time; other readers are read by one worker at a time, block by
// block. The phase "read" of package progress counts the bytes of r.
//
// Cost O(length of the file) time. Memory: see the function memory, and for each worker
// buffers of 700 KiB, or twice the longest line.
func Read(ctx context.Context, r io.Reader, o Options) (*lts.LTS, []string, error) {
	return read(ctx, r, o, limits{blocks.Size, knownLabels})
}

// limits are numbers that tests make small.
type limits struct {
	// block is the length of blocks in bytes, known the number of labels that a
	// scanner keeps.
	block, known int
}

func read(ctx context.Context, r io.Reader, o Options, l limits) (m *lts.LTS, warnings []string, err error) {
	defer abort.Caught(&err)
	o.Name = cmp.Or(o.Name, "input")
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	meter := progress.Start(ctx, "read", progress.Bytes, max(0, blocks.Remaining(r)))
	in, err := blocks.NewInput(r, l.block, meter)
	if err != nil {
		abort.On(ctx.Err())
		abort.On(newDecoder(o, -1).readError(err))
	}
	defer in.Close()
	d := newDecoder(o, in.Bytes)
	d.read(ctx, in, l.known)
	m = d.finish(ctx)
	return m, d.warnings, nil
}

// readError turns the error of a reader or a decompressor into an Error.
func (d *decoder) readError(err error) error {
	var path *fs.PathError
	var damage *compressed.DamagedError
	switch {
	case errors.Is(err, blocks.ErrLongLine):
		return d.fail(d.line+1, fmt.Sprintf("this line is longer than %d MiB: this does not look like an .aut file", blocks.LineMax>>20), err)
	case errors.As(err, &damage):
		return d.fail(0, damage.Error(), damage.Cause)
	case errors.As(err, &path):
		return d.fail(0, "cannot be read: "+path.Err.Error(), err)
	}
	return d.fail(0, "cannot be read: "+err.Error(), err)
}

// blockError returns the error for a block that was not read to its end.
func (d *decoder) blockError(b *blocks.Block) error {
	d.line += bytes.Count(b.Text, []byte("\n"))
	return d.readError(b.Err)
}

// fail returns an error about a line, or about the file as a whole if line is 0.
func (d *decoder) fail(line int, message string, cause error) error {
	return inputfile.Because(d.Name, line, message, cause)
}

// refuse ends the reading with an error about a line.
func (d *decoder) refuse(line int, format string, args ...any) {
	abort.On(d.fail(line, fmt.Sprintf(format, args...), nil))
}

// refuseStrictly refuses something that a lenient reading accepts. The message
// says what is wrong and, except for reading leniently, what to do.
func (d *decoder) refuseStrictly(line int, format string, args ...any) {
	abort.On(inputfile.NewError(d.Name, line, remedy.New(nil, fmt.Sprintf(format, args...)+" ", remedy.Lenient)))
}

func (d *decoder) warn(line int, format string, args ...any) {
	d.warnings = append(d.warnings, d.fail(line, fmt.Sprintf(format, args...), nil).Error())
}

// read reads all blocks: first the header, then the remaining blocks, by as many
// workers as are worthwhile.
func (d *decoder) read(ctx context.Context, in blocks.Source, known int) {
	w := d.worker(known)
	for started := false; !started; {
		err := in.Next(ctx, w.Room())
		switch {
		case err == io.EOF:
			d.refuse(0, "empty file: an .aut file begins with the header %s", headerShape)
		case err != nil:
			abort.On(err)
		case w.Err != nil:
			abort.On(d.blockError(w.Room()))
		}
		w.Text, started = d.start(w.Text)
	}
	w.states = d.header.states
	abort.On(blocks.Each(ctx, in, d.Workers, w, func() blocks.Worker { return d.worker(known) }))
}

// start reads the header from the first block that is not blank, and returns the
// rest of the block. It skips a byte order mark, which does not matter because
// labels are bytes.
func (d *decoder) start(block []byte) (rest []byte, found bool) {
	if d.line == 0 {
		block = bytes.TrimPrefix(block, []byte("\ufeff"))
	}
	for rest = block; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		d.line++
		if len(trimBlanks(line)) == 0 {
			continue
		}
		if !bytes.HasPrefix(trimBlanks(line), []byte("des")) {
			d.refuse(d.line, "%s", refuseContent(block, line))
		}
		h, refused := parseHeader(line)
		if refused != "" {
			d.refuse(d.line, "%s", refused)
		}
		d.declare(h)
		return rest, true
	}
	return nil, false
}

// decoder joins the results of scanners, which hand over their blocks in the
// order of the text.
type decoder struct {
	Options
	// size is the length of the text in bytes, less than 0 if it is unknown.
	size   int64
	header header

	// line is the number of the last line read.
	line int
	// count is the number of transitions read.
	count    uint64
	alphabet lts.AlphabetBuilder
	columns  columns
	warnings []string
	// surplusLine is the line of the first transition beyond the declared
	// number, 0 if there is none.
	surplusLine int
	beyond      beyond
	// unfinishedLine is the line in which the file ends, 0 if it ends
	// between lines.
	unfinishedLine int
}

func newDecoder(o Options, size int64) *decoder {
	return &decoder{Options: o, size: size}
}

// declare stores the header.
func (d *decoder) declare(h header) {
	d.header = h
	if d.Admit != nil {
		transitions := d.believed()
		states := min(h.states, inputfile.MostStates(transitions))
		if err := d.Admit(int64(states), int64(transitions)); err != nil {
			abort.On(d.fail(0, err.Error(), err))
		}
	}
	d.columns = columns{states: h.states, declared: d.believed(), borne: d.size >= 0, narrow: math.MaxUint32}
	if h.initial >= h.states {
		d.refuseBeyond(d.line, "initial state", h.initial)
		d.beyond.note(h.initial, d.line)
	}
}

// believed is the declared number of transitions, but no more than the text has
// room for.
func (d *decoder) believed() uint64 {
	if d.size < 0 {
		return d.header.transitions
	}
	// The shortest line is (0,a,0) and a line feed, which the last line may lack.
	return min(d.header.transitions, uint64(d.size+1)/8)
}

// worker is a scanner with its decoder.
type worker struct {
	*scanner
	d  *decoder
	at columnRange
}

func (d *decoder) worker(known int) *worker {
	return &worker{scanner: &scanner{lenient: d.Lenient, known: known, states: d.header.states}, d: d}
}

func (w *worker) Room() *blocks.Block { return &w.Block }

func (w *worker) Scan() { w.scan() }

func (w *worker) Take(ctx context.Context) (err error) {
	defer abort.Caught(&err)
	w.at = w.d.take(ctx, w.scanner)
	return nil
}

func (w *worker) Put() { w.d.columns.put(w.scanner, w.at) }

// take checks a block against the blocks before it, and returns the range for its
// transitions.
func (d *decoder) take(ctx context.Context, s *scanner) columnRange {
	if s.Err != nil {
		abort.On(d.blockError(&s.Block))
	}
	found, before := uint64(len(s.found)), d.line
	d.line += len(s.found) + s.blank
	if declared := d.header.transitions; d.count <= declared && declared < d.count+found {
		d.surplusLine = before + 1 + s.lineOf(int(declared-d.count))
		if !d.Lenient {
			// This error comes before all further blocks are read.
			d.refuseStrictly(d.surplusLine, "declared %d transitions, found more, the first of them here: correct the header, or read the file", declared)
		}
	}
	first := d.count
	d.count += found
	d.beyond.add(s.beyond, before+1)
	for l := len(s.numbers); l < s.labels.table.Len(); l++ {
		s.numbers = append(s.numbers, d.alphabet.Label(s.labels.table.Text(lts.Label(l))))
	}
	if s.stopped {
		d.takeRefused(s)
	}
	return d.columns.reserve(ctx, s, first, d.alphabet.Len())
}

// takeRefused refuses the line at which a scanner stopped, unless it is the last
// line, which a lenient reading leaves out.
func (d *decoder) takeRefused(s *scanner) {
	d.line++
	line, next := s.lineAt(s.at)
	from, _, to, ok := parseTransition(line)
	if !ok {
		d.refuseLine(line, next > s.at+len(line))
		return
	}
	if from >= d.header.states {
		d.refuseBeyond(d.line, "source state", from)
	}
	d.refuseBeyond(d.line, "target state", to)
}

// refuseBeyond refuses a state number that is not below the declared number of
// states, unless the reading is lenient.
func (d *decoder) refuseBeyond(line int, name string, state uint64) {
	switch {
	case state >= tooLarge:
		d.refuse(line, "the %s is too large: inev holds at most %d states", name, int64(lts.MaxStates))
	case state >= lts.MaxStates:
		d.refuse(line, "%s %d is too large: inev holds at most %d states", name, state, int64(lts.MaxStates))
	case !d.Lenient:
		d.refuseStrictly(line, "%s %d is not below %d, the declared number of states: correct it or the header, or read the file",
			name, state, d.header.states)
	}
}

// refuseLine explains a line that is no transition. ended reports whether it has
// a line feed: a line without one that could go on means that the file is cut
// off, which a lenient reading accepts.
func (d *decoder) refuseLine(line []byte, ended bool) {
	r := refuseTransition(line)
	switch {
	case ended || !r.unfinished || d.count >= d.header.transitions:
		d.refuse(d.line, "%s", r.message)
	case !d.Lenient:
		d.refuseStrictly(d.line, "declared %d transitions, found %d and part of another: the file looks truncated; fetch it again, or read it",
			d.header.transitions, d.count)
	}
	d.unfinishedLine = d.line
}

// finish compares the transitions read with the header, and builds the LTS.
func (d *decoder) finish(ctx context.Context) (m *lts.LTS) {
	d.checkCount()
	states := d.checkStates()
	err := abort.Try(func() {
		m = d.columns.lts(ctx, lts.State(d.header.initial), states, d.count, d.alphabet.Build(), d.Workers)
	})
	abort.On(ctx.Err())
	if err != nil {
		abort.On(d.fail(0, err.Error(), err))
	}
	return m
}

// checkCount compares the number of transitions read with the declared one.
func (d *decoder) checkCount() {
	declared := d.header.transitions
	if d.unfinishedLine > 0 {
		d.warn(d.unfinishedLine, "the file ends inside this transition, which is left out")
	}
	switch {
	case d.count < declared && d.Lenient:
		d.warn(d.line, "declared %d transitions, found %d: the file may be truncated", declared, d.count)
	case d.count < declared:
		d.refuseStrictly(d.line, "declared %d transitions, found %d: the file looks truncated; fetch it again, or read it", declared, d.count)
	case d.count > declared && d.Lenient:
		d.warn(d.surplusLine, "declared %d transitions, found %d, the first beyond the declared number here", declared, d.count)
	}
}

// checkStates returns the number of states of the LTS, and refuses one that the
// transitions do not justify.
func (d *decoder) checkStates() uint64 {
	states, beyond := d.header.states, d.beyond
	bound := inputfile.MostStates(d.count)
	if states > bound {
		d.refuse(0, "the header declares %d states, more than the %d that %d transitions account for (64 for each and 1000000 more): correct the header", states, bound, d.count)
	}
	if !beyond.some {
		return states
	}
	if beyond.largest >= bound {
		d.refuse(beyond.largestLine, "state %d is far beyond the %d states that the header declares and the %d that %d transitions account for (64 for each and 1000000 more): correct it", beyond.largest, states, bound, d.count)
	}
	d.warn(beyond.firstLine, "state %d is not below %d, the declared number of states; the largest state found is %d, and the LTS has %d states", beyond.first, states, beyond.largest, beyond.largest+1)
	return beyond.largest + 1
}

// Open reads an LTS from a file of .aut text, as [Read] does. An empty
// Options.Name becomes path. Package format opens files of other formats, too.
//
// Waiting for a named pipe or a terminal also ends when ctx is done.
func Open(ctx context.Context, path string, o Options) (*lts.LTS, []string, error) {
	o.Name = cmp.Or(o.Name, path)
	f, err := inputfile.OpenModel(ctx, path, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return Read(ctx, f, o)
}
