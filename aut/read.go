// Package aut reads and writes labelled transition systems in the .aut
// (Aldebaran) format, plain or compressed.
//
// A file is a header line and one line a transition:
//
//	des (initial, transitions, states)
//	(from, label, to)
//
// Blanks and tabs between tokens and blank lines mean nothing; a line ends in
// LF or CR LF, and the last one may end with the file. A quoted label reaches
// from its first quote to the last quote before the final comma of the line: a
// backslash escapes nothing, and quotes, commas and parentheses inside are
// ordinary characters. An unquoted label is what lies between the first comma
// and the final one, less the blanks around it. Labels are bytes: whatever
// encoding they are in is kept.
//
// The package reads what CADP, mCRL2, LTSmin and CLEAR write. By default it
// believes a file only where the header and the transitions agree, because a
// truncated download looks like a wrong header; [Options] can allow it.
//
// A worker gets blocks of whole lines, and parses each line without its neighbours. Blocks are
// added to the LTS in the order of the file, whichever workers parsed them. Memory is allocated for
// what has been read, never for what a header declares.
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
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
)

// Options control how a file is read. The zero value is strict.
type Options struct {
	// Name is the name of the file in errors and warnings.
	Name string
	// Lenient accepts, with a warning for each kind, what a strict reading takes
	// as signs of a damaged file: a number of transitions other than the declared
	// one, a last line that is cut off (it is left out), and state numbers that
	// are not below the declared number of states. The LTS then has the states up
	// to the largest number found.
	Lenient bool
	// Workers is the number of goroutines that read; 0 means as many as there are processors to run
	// them. Results do not depend on it.
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
// Cost O(length of the file) time. Memory for up to 256 labels: 5 bytes for each transition and 4
// for each state if sources ascend, otherwise 9 and 4, and while they are sorted 14 and, for each
// state, 4 more for each worker; and for each worker buffers of 700 KiB, or twice the longest
// line.
func Read(ctx context.Context, r io.Reader, o Options) (*lts.LTS, []string, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("r", r),
	); err != nil {
		return nil, nil, err
	}
	return read(ctx, r, o, limits{blockSize: lineblocks.Size, keptLabels: knownLabels})
}

// limits are numbers that tests make small.
type limits struct {
	// blockSize is the length of blocks in bytes, and keptLabels is the number of labels that a
	// scanner keeps.
	blockSize, keptLabels int
}

// read is [Read] with given limits, so that tests reach the ends of blocks and of tables by short texts.
func read(
	ctx context.Context,
	r io.Reader,
	o Options,
	l limits,
) (m *lts.LTS, warnings []string, err error) {
	defer abort.Caught(&err)
	o.Name = cmp.Or(o.Name, "input")
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	meter := progress.Start(ctx, "read", progress.Bytes, max(0, lineblocks.Remaining(r)))
	in, err := lineblocks.NewInput(r, l.blockSize, meter)
	if err != nil {
		abort.On(ctx.Err())
		abort.On(newDecoder(o, -1).readError(err))
	}
	defer in.Close()
	d := newDecoder(o, in.Bytes)
	d.read(ctx, in, l.keptLabels)
	m = d.finish(ctx)
	return m, d.warnings, nil
}

// readError turns the error of a reader or a decompressor into an Error.
func (d *decoder) readError(err error) error {
	var path *fs.PathError
	var damage *compressed.DamagedError
	switch {
	case errors.Is(err, lineblocks.ErrLongLine):
		return d.fail(d.line+1,
			fmt.Sprintf("this line is longer than %d MiB: this does not look like an .aut file",
				lineblocks.LineMax>>20), err)
	case errors.As(err, &damage):
		return d.fail(0, damage.Error(), damage.Cause)
	case errors.As(err, &path):
		return d.fail(0, "cannot be read: "+path.Err.Error(), err)
	}
	return d.fail(0, "cannot be read: "+err.Error(), err)
}

// errorInBlock returns the error for a block that was not read to its end.
func (d *decoder) errorInBlock(b *lineblocks.Block) error {
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

// refuseStrictly refuses something that a lenient reading accepts. The format says what is wrong
// and how to correct it, and ends with "or read it" or the like. refuseStrictly completes this
// sentence: "or read it with --lenient".
func (d *decoder) refuseStrictly(line int, format string, args ...any) {
	abort.On(inputfile.NewError(d.Name, line,
		hint.New(nil, fmt.Sprintf(format, args...)+" ", hint.Lenient)))
}

func (d *decoder) warn(line int, format string, args ...any) {
	d.warnings = append(d.warnings, d.fail(line, fmt.Sprintf(format, args...), nil).Error())
}

// read reads all blocks: first the header, then the remaining blocks, by as many
// workers as are worthwhile.
func (d *decoder) read(ctx context.Context, in lineblocks.Source, keptLabels int) {
	first := d.newWorker(keptLabels)
	for hasHeader := false; !hasHeader; {
		err := in.Next(ctx, first.Room())
		switch {
		case err == io.EOF:
			d.refuse(0, "empty file: an .aut file begins with the header %s", headerShape)
		case err != nil:
			abort.On(err)
		case first.Err != nil:
			abort.On(d.errorInBlock(first.Room()))
		}
		first.Text, hasHeader = d.readHeader(first.Text)
	}
	first.states = d.header.states
	abort.On(lineblocks.Each(ctx, in, d.Workers, first, func() lineblocks.Worker {
		return d.newWorker(keptLabels)
	}))
}

// readHeader reads the header from the first block that is not blank, and returns the
// rest of the block. It skips a byte order mark, which does not matter because
// labels are bytes.
func (d *decoder) readHeader(block []byte) (rest []byte, found bool) {
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
			d.refuse(d.line, "%s", explainContent(block, line))
		}
		h, refused := parseHeader(line)
		if refused != "" {
			d.refuse(d.line, "%s", refused)
		}
		d.begin(h)
		return rest, true
	}
	return nil, false
}

// begin prepares for the transitions of a file with this header. It fails if Options.Admit does not
// admit a model of this size.
func (d *decoder) begin(h header) {
	d.header = h
	transitions := d.plausibleTransitions()
	if d.Admit != nil {
		states := min(h.states, inputfile.MostStates(transitions))
		if err := d.Admit(int64(states), int64(transitions)); err != nil {
			abort.On(d.fail(0, err.Error(), err))
		}
	}
	d.columns = columns{
		states:       h.states,
		declared:     transitions,
		isLongEnough: d.size >= 0,
		mostForRows:  math.MaxUint32,
	}
	if h.initial >= h.states {
		d.refuseBeyond(d.line, "initial state", h.initial)
		d.beyond.note(h.initial, d.line)
	}
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
	// found is the number of transitions read.
	found    uint64
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

// plausibleTransitions is the declared number of transitions, but no more than the text has
// room for.
func (d *decoder) plausibleTransitions() uint64 {
	if d.size < 0 {
		return d.header.transitions
	}
	// The shortest line is (0,a,0) and a line feed, 8 bytes. The last line may lack its line feed.
	return min(d.header.transitions, uint64(d.size+1)/8)
}

// worker is a scanner with its decoder.
type worker struct {
	*scanner
	decoder  *decoder
	reserved columnRange
}

func (d *decoder) newWorker(known int) *worker {
	return &worker{
		scanner: &scanner{
			lenient:    d.Lenient,
			keptLabels: known,
			states:     d.header.states,
		},
		decoder: d,
	}
}

func (w *worker) Room() *lineblocks.Block { return &w.Block }

func (w *worker) Scan() { w.scan() }

// Take counts the lines and transitions of the block, and reserves columns for them.
func (w *worker) Take(ctx context.Context) (err error) {
	defer abort.Caught(&err)
	s := w.scanner
	d := w.decoder
	if s.Err != nil {
		abort.On(d.errorInBlock(&s.Block))
	}
	linesBefore := d.line
	d.line += len(s.found) + s.blankLines
	first := d.found
	d.found += uint64(len(s.found))
	declared := d.header.transitions
	if first <= declared && declared < d.found {
		d.surplusLine = linesBefore + 1 + s.lineOfTransition(int(declared-first))
		if !d.Lenient {
			// Fail here, without reading the remaining blocks.
			d.refuseStrictly(d.surplusLine,
				"declared %d transitions, found more, the first of them here: correct the header, or read the file", declared)
		}
	}
	d.beyond.add(s.beyond, linesBefore+1)
	d.numberLabels(s)
	if s.hasStopped {
		d.handleRefused(s)
	}
	w.reserved = d.columns.reserve(ctx, s, first, d.alphabet.Len())
	return nil
}

// numberLabels gives numbers of the LTS to the labels that first occur in a scanner's block.
func (d *decoder) numberLabels(s *scanner) {
	for l := len(s.numbers); l < s.labels.table.Len(); l++ {
		s.numbers = append(s.numbers, d.alphabet.Label(s.labels.table.Text(lts.Label(l))))
	}
}

// lineOfTransition returns the line of the block, counted from 0, that has transition found[i].
func (s *scanner) lineOfTransition(i int) (line int) {
	for at := 0; at < len(s.Text); line++ {
		text, next := s.lineAt(at)
		if len(trimBlanks(text)) > 0 {
			if i == 0 {
				break
			}
			i--
		}
		at = next
	}
	return line
}

func (w *worker) Put() { w.decoder.columns.put(w.scanner, w.reserved) }

// handleRefused refuses the line at which a scanner stopped. A lenient reading leaves out a last
// line that is cut off instead.
func (d *decoder) handleRefused(s *scanner) {
	d.line++
	line, next := s.lineAt(s.stoppedAt)
	t, ok := parseTransition(line)
	if !ok {
		// If the last line has no line feed and is the beginning of a transition, the file was cut
		// off, which a lenient reading accepts.
		hasLineFeed := next > s.stoppedAt+len(line)
		r := explainTransition(line)
		isCutOff := !hasLineFeed && r.unfinished && d.found < d.header.transitions
		switch {
		case !isCutOff:
			d.refuse(d.line, "%s", r.message)
		case !d.Lenient:
			d.refuseStrictly(d.line,
				"declared %d transitions, found %d and part of another: the file looks truncated; fetch it again, or read it",
				d.header.transitions, d.found)
		}
		d.unfinishedLine = d.line
		return
	}
	if t.from >= d.header.states {
		d.refuseBeyond(d.line, "source state", t.from)
	}
	d.refuseBeyond(d.line, "target state", t.to)
}

// refuseBeyond refuses a state number that is not below the declared number of
// states, unless the reading is lenient.
func (d *decoder) refuseBeyond(line int, name string, state uint64) {
	switch {
	case state >= tooLarge:
		d.refuse(line, "the %s is too large: inev holds at most %d states", name,
			int64(lts.MaxStates))
	case state >= lts.MaxStates:
		d.refuse(line, "%s %d is too large: inev holds at most %d states", name, state,
			int64(lts.MaxStates))
	case !d.Lenient:
		d.refuseStrictly(line,
			"%s %d is not below %d, the declared number of states: correct it or the header, or read the file",
			name, state, d.header.states)
	}
}

// finish compares the transitions read with the header, and builds the LTS.
func (d *decoder) finish(ctx context.Context) (m *lts.LTS) {
	declared := d.header.transitions
	if d.unfinishedLine > 0 {
		d.warn(d.unfinishedLine, "the file ends inside this transition, which is left out")
	}
	switch {
	case d.found < declared && d.Lenient:
		d.warn(d.line, "declared %d transitions, found %d: the file may be truncated", declared,
			d.found)
	case d.found < declared:
		d.refuseStrictly(d.line,
			"declared %d transitions, found %d: the file looks truncated; fetch it again, or read it", declared, d.found)
	case d.found > declared && d.Lenient:
		d.warn(d.surplusLine,
			"declared %d transitions, found %d, the first beyond the declared number here", declared, d.found)
	}
	states := d.checkStates()
	err := abort.Try(func() {
		m = d.columns.lts(ctx, lts.State(d.header.initial), states, d.found, d.alphabet.Build(),
			d.Workers)
	})
	abort.On(ctx.Err())
	if err != nil {
		abort.On(d.fail(0, err.Error(), err))
	}
	return m
}

// checkStates returns the number of states of the LTS, and refuses one that the
// transitions do not justify.
func (d *decoder) checkStates() uint64 {
	states := d.header.states
	beyond := d.beyond
	bound := inputfile.MostStates(d.found)
	if states > bound {
		d.refuse(0,
			"the header declares %d states, more than the %d that %d transitions account for (64 for each and 1000000 more): correct the header", states, bound, d.found)
	}
	if !beyond.isSet {
		return states
	}
	if beyond.largest >= bound {
		d.refuse(beyond.largestLine,
			"state %d is far beyond the %d states that the header declares and the %d that %d transitions account for (64 for each and 1000000 more): correct it", beyond.largest, states, bound, d.found)
	}
	d.warn(beyond.firstLine,
		"state %d is not below %d, the declared number of states; the largest state found is %d, so the number of states is taken to be %d", beyond.first, states, beyond.largest,
		beyond.largest+1)
	return beyond.largest + 1
}

// Open reads an LTS from a file of .aut text, as [Read] does. An empty
// Options.Name becomes path. Package format opens files of other formats, too.
//
// Waiting for a named pipe or a terminal also ends when ctx is done.
func Open(ctx context.Context, path string, o Options) (*lts.LTS, []string, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return nil, nil, err
	}
	o.Name = cmp.Or(o.Name, path)
	f, err := inputfile.OpenModel(ctx, path, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return Read(ctx, f, o)
}
