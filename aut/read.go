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
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/swar"
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
		"state %d is not below %d, the declared number of states; the largest state found is %d, and the LTS has %d states", beyond.first, states, beyond.largest, beyond.largest+1)
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

// scanner reads the lines of one block after the other; each worker has one. Its
// results for a block do not depend on other blocks: it counts lines from 0 in
// each block, and leaves the checks that need all lines before to the decoder.
type scanner struct {
	lineblocks.Block
	lenient bool
	// keptLabels is the number of labels that the scanner keeps from one block to
	// another.
	keptLabels int
	// states is the declared number of states.
	states uint64
	labels labelNumbers
	// numbers[l] is the label of the LTS for the scanner's label l, for labels in
	// blocks that have been handed over.
	numbers []lts.Label

	// found are the transitions of the block, with the scanner's labels.
	found []lts.Transition
	// renumbered are the labels of the block's transitions as numbers of the LTS.
	renumbered []lts.Label
	// blankLines is the number of blank lines in the block.
	blankLines int
	// descends reports whether some source is smaller than the one before it.
	descends bool
	beyond   beyond
	// hasStopped reports that the line which begins with text[stoppedAt] is no transition
	// that the LTS can have. Nothing after it is read.
	hasStopped bool
	stoppedAt  int
}

// beyond records state numbers that are not below the declared number.
type beyond struct {
	first, largest         uint64
	firstLine, largestLine int
	isSet                  bool
}

// note records a state number of a line.
func (b *beyond) note(state uint64, line int) {
	b.add(beyond{
		first:       state,
		largest:     state,
		firstLine:   line,
		largestLine: line,
		isSet:       true,
	}, 0)
}

// add adds the record of later lines; offset is added to their line numbers.
func (b *beyond) add(later beyond, offset int) {
	if !later.isSet {
		return
	}
	if !b.isSet {
		b.isSet = true
		b.first = later.first
		b.firstLine = later.firstLine + offset
	}
	if later.largest >= b.largest {
		b.largest = later.largest
		b.largestLine = later.largestLine + offset
	}
}

// scan reads the lines of the block.
func (s *scanner) scan() {
	s.blankLines = 0
	s.descends = false
	s.beyond = beyond{}
	s.hasStopped = false
	if len(s.numbers) > s.keptLabels {
		s.labels = labelNumbers{}
		s.numbers = s.numbers[:0]
	}
	end := len(s.Text)
	if cap(s.found) == 0 {
		s.found = make([]lts.Transition, 0, end/16+1)
	}
	found := s.found[:0]
	last := uint64(0)
	descents := uint64(0) // the highest bit is set once a source is smaller than the one before it
	for at := 0; at < end; {
		t, next := s.usual(at)
		if next == 0 {
			var k kind
			t, next, k = s.unusual(at, len(found)+s.blankLines)
			if k == blankLine {
				s.blankLines++
				at = next
				continue
			}
			if k == refusedLine {
				s.hasStopped = true
				s.stoppedAt = at
				break
			}
		}
		// The difference has its highest bit set if the source is smaller. This
		// avoids a branch that sources in random order would make unpredictable.
		descents |= uint64(t.From) - last
		last = uint64(t.From)
		found = append(found, t)
		at = next
	}
	s.found = found
	s.descends = descents>>63 != 0
}

// usual reads the line that begins with text[at] if it has the form that most
// tools write, and its states are declared. It returns the index of the next
// line, or 0 if the line has another form: then unusual reads it, with the same
// result for lines of this form.
//
// It takes the first quote after the opening one as the end of the label. If a comma, a number, a
// parenthesis and the end of the line follow, that is also the last quote before the final comma,
// where a label ends.
func (s *scanner) usual(at int) (t lts.Transition, next int) {
	end := len(s.Text)
	b := s.Text[:end+lineblocks.Slack]
	if b[at] != '(' {
		return t, 0
	}
	// Numbers are read in line, since a call for each would take a tenth of the time.
	from, digits := swar.LeadingDigits(b, at+1)
	i := at + 1 + digits
	if digits == 8 {
		from, i = number(b, at+1)
	}
	if digits == 0 || b[i] != ',' {
		return t, 0
	}
	i = afterBlank(b, i+1)
	if b[i] != '"' {
		return t, 0
	}
	text := i + 1
	known, quote, ok := s.labels.cache.Quoted(b, text, end)
	if !ok || b[quote+1] != ',' {
		return t, 0
	}
	i = afterBlank(b, quote+2)
	to, digits := swar.LeadingDigits(b, i)
	if digits == 8 {
		to, i = number(b, i)
	} else {
		i += digits
	}
	areDeclared := from < s.states && to < s.states
	if digits == 0 || b[i] != ')' || !areDeclared {
		return t, 0
	}
	i++
	if b[i] == '\r' {
		i++
	}
	if b[i] != '\n' {
		return t, 0
	}
	label := lts.Label(known)
	if known == swar.Unknown {
		isUsual := quote-text <= inputfile.MaxLabel && bytes.IndexByte(b[text:quote], '\n') < 0
		if !isUsual {
			return t, 0
		}
		label = s.labels.numberOf(b[text:quote])
	}
	return lts.Transition{
		From:  lts.State(from),
		Label: label,
		To:    lts.State(to),
	}, i + 1
}

// afterBlank returns the index after the blank at index i; i if there is none.
func afterBlank(b []byte, i int) int {
	if b[i] == ' ' {
		return i + 1
	}
	return i
}

// kind is what a line is to a scanner.
type kind uint8

const (
	transitionLine kind = iota
	blankLine
	refusedLine
)

// unusual reads the line of this number that begins with text[at], whatever its
// form, and returns the index of the next one. A state that is not declared is
// recorded in a lenient reading, and makes a strict one refuse the line.
func (s *scanner) unusual(at, number int) (t lts.Transition, next int, k kind) {
	line, next := s.lineAt(at)
	text, ok := parseTransition(line)
	switch {
	case !ok && len(trimBlanks(line)) == 0:
		return t, next, blankLine
	case !ok:
		return t, next, refusedLine
	}
	for _, state := range [...]uint64{text.from, text.to} {
		if state < s.states {
			continue
		}
		if !s.lenient || state >= lts.MaxStates {
			return t, next, refusedLine
		}
		s.beyond.note(state, number)
	}
	return lts.Transition{
		From:  lts.State(text.from),
		Label: s.labels.numberOf(text.label),
		To:    lts.State(text.to),
	}, next, transitionLine
}

// lineAt returns the line that begins with text[at], without its line feed, and
// the index of the next one.
func (s *scanner) lineAt(at int) (line []byte, next int) {
	i := bytes.IndexByte(s.Text[at:], '\n')
	if i >= 0 {
		return s.Text[at : at+i], at + i + 1
	}
	return s.Text[at:], len(s.Text)
}

// knownLabels is the number of labels that one worker keeps. If there are many
// more labels, each of them is rare, and a second copy of all would only take
// memory.
const knownLabels = 1 << 18

// labelNumbers maps labels to the numbers of one worker, by a cache in front of a
// table of all labels.
//
// No label in the cache has a line feed in it, so that a text found in the cache
// has no line feed.
type labelNumbers struct {
	cache swar.Cache
	table lts.AlphabetBuilder
}

// numberOf returns the number of the label with this text, which has no line feed.
// Cost O(len(text)).
func (c *labelNumbers) numberOf(text []byte) lts.Label {
	return lts.Label(c.cache.Of(text, func(text []byte) uint32 {
		return uint32(c.table.LabelBytes(text))
	}))
}

// parseTransition reads a line (from, label, to), without its line feed. The
// label is a slice of line, without its quotes, of at most [inputfile.MaxLabel]
// bytes. For any other line, blank lines included, ok is false, and
// explainTransition explains why.
//
// It searches the final comma from the right, so that it need not examine the
// label: that ends at the last quote before this comma.
func parseTransition(line []byte) (t transitionText, ok bool) {
	i := skipBlanks(line, 0)
	if i == len(line) || line[i] != '(' {
		return t, false
	}
	source := skipBlanks(line, i+1)
	from, i := number(line, source)
	if i == source {
		return t, false
	}
	firstComma := skipBlanks(line, i)
	if firstComma == len(line) || line[firstComma] != ',' {
		return t, false
	}
	finalComma := bytes.LastIndexByte(line, ',')
	target := skipBlanks(line, finalComma+1)
	to, end := number(line, target)
	if finalComma <= firstComma || end == target || string(trimBlanks(line[end:])) != ")" {
		return t, false
	}
	label, isQuoted := unquote(trimBlanks(line[firstComma+1 : finalComma]))
	t = transitionText{from: from, label: label, to: to}
	return t, isQuoted && len(label) <= inputfile.MaxLabel
}

// transitionText is what a line (from, label, to) contains.
type transitionText struct {
	from  uint64
	label []byte
	to    uint64
}

// unquote removes the quotes from the text between the first comma and the final
// one; ok is false if there is no label, or a quoted one does not end.
func unquote(text []byte) (label []byte, ok bool) {
	n := len(text)
	switch {
	case n == 0:
		return nil, false
	case text[0] != '"':
		return text, true
	case n == 1 || text[n-1] != '"':
		return nil, false
	default:
		return text[1 : n-1], true
	}
}

// isBlank reports whether a byte separates tokens. A carriage return does: it may stand
// before the line feed.
func isBlank(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\r') }

func skipBlanks(line []byte, i int) int {
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	return i
}

func trimBlanks(text []byte) []byte {
	text = text[skipBlanks(text, 0):]
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// tooLarge represents itself and all larger numbers, so that numbers of any length are read without
// overflow; all limits are far below.
const tooLarge = 1 << 60

// number reads the digits from index i on. It returns their value, at most
// tooLarge, and the index after them, which is i if there are none.
func number(line []byte, i int) (n uint64, end int) {
	// Most numbers in a file have less than eight digits.
	if i+8 <= len(line) {
		word := binary.LittleEndian.Uint64(line[i:]) ^ swar.Zeros
		count := bits.TrailingZeros64(swar.OtherThanDigits(word)) / 8
		if count < 8 {
			return swar.Decimal(word << (64 - 8*count)), i + count
		}
		if i+16 <= len(line) {
			second := binary.LittleEndian.Uint64(line[i+8:]) ^ swar.Zeros
			count = bits.TrailingZeros64(swar.OtherThanDigits(second)) / 8
			if count < 8 {
				return swar.Decimal(word)*powers[count] + swar.Decimal(second<<(64-8*count)), i + 8 + count
			}
		}
	}
	for ; i < len(line); i++ {
		digit := line[i] - '0'
		if digit > 9 {
			break
		}
		n = min(n*10+uint64(digit), tooLarge)
	}
	return n, i
}

var powers = [8]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000}

// header is the first line of a file. Its numbers may be wrong.
type header struct {
	initial, transitions, states uint64
}

const headerShape = "des (initial, transitions, states)"

// parseHeader reads a line des (initial, transitions, states). refused explains
// what is wrong with the line, "" if nothing is.
func parseHeader(line []byte) (h header, refused string) {
	fields, refused := headerFields(line)
	if refused != "" {
		return h, refused
	}
	names := [...]string{"initial state", "number of transitions", "number of states"}
	values := [...]*uint64{&h.initial, &h.transitions, &h.states}
	for i, name := range names {
		refused := explainNumber(name, fields[i])
		if refused != "" {
			return h, refused
		}
		*values[i], _ = number(fields[i], 0)
	}
	switch { // the initial state is compared with the number of states later
	case h.states > lts.MaxStates:
		return h, fmt.Sprintf("the header declares %s states: inev holds at most %d states",
			digits(fields[2]), int64(lts.MaxStates))
	case h.transitions == tooLarge:
		return h, fmt.Sprintf("the header declares %s transitions: inev counts to %d",
			digits(fields[1]), int64(tooLarge-1))
	}
	return h, ""
}

// headerFields returns the three texts in the parentheses of a header.
func headerFields(line []byte) (fields [][]byte, refused string) {
	found := inputfile.Quote(trimBlanks(line))
	text, ok := bytes.CutPrefix(trimBlanks(line), []byte("des"))
	text = trimBlanks(text)
	if !ok || len(text) == 0 || text[0] != '(' {
		return nil, "expected the header " + headerShape + ", found " + found
	}
	inside, behind, isClosed := bytes.Cut(text[1:], []byte(")"))
	behind = trimBlanks(behind)
	for _, field := range bytes.Split(inside, []byte(",")) {
		fields = append(fields, trimBlanks(field))
	}
	switch {
	case isDistribution(fields[0]): // a distribution has parentheses, the first of which seems to close the header
		return nil, probabilistic
	case !isClosed:
		return nil, "the closing parenthesis of the header is missing: it is " + headerShape
	case len(behind) > 0:
		return nil, "unexpected " + inputfile.Quote(behind) +
			" after the header: transitions begin on a line of their own"
	case len(fields) != 3:
		return nil, "expected the header " + headerShape + ", found " + found
	}
	return fields, ""
}

// explainContent explains a file whose first non-blank line is no header; block is
// the beginning of the file.
func explainContent(block, line []byte) string {
	const fsm = "this looks like mCRL2's .fsm format, not .aut: name it .fsm"
	start := block[:min(len(block), 4096)]
	for _, f := range foreign {
		if bytes.HasPrefix(start, []byte(f.prefix)) {
			return "this is " + f.what + ", not an .aut file: " + f.remedy
		}
	}
	text := trimBlanks(line)
	switch {
	case bytes.IndexByte(start, 0) >= 0:
		return "this is binary data, not an .aut file: if it is a BCG file of CADP, name it .bcg, or convert it with bcg_io FILE.bcg FILE.aut"
	case bytes.HasPrefix(start, []byte("---")) || bytes.Contains(start, []byte("\n---")):
		return fsm
	case text[0] == '(':
		return "the header is missing: an .aut file begins with " + headerShape
	}
	return "this is not an .aut file: it begins with " + inputfile.Quote(text) +
		", not with the header " + headerShape
}

// foreign lists the beginnings of files that users mistake for .aut files. mCRL2's format .lts
// begins like its binary term format, with a zero byte and the number 0x8baf.
var foreign = [...]struct{ prefix, what, remedy string }{
	{"\x00\x8b\xaf", "mCRL2's binary .lts format", "name it .lts"},
	{"\xfd7zXZ\x00", "xz-compressed data", "decompress it with xz -d first"},
	{"PK\x03\x04", "a zip archive", "unpack it first"},
	{"\xff\xfe", "UTF-16 text", "store it as UTF-8"},
	{"\xfe\xff", "UTF-16 text", "store it as UTF-8"},
	{"version https://git-lfs", "a Git LFS pointer", "fetch the file behind it with git lfs pull"},
	{"<", "an HTML or XML page", "fetch the file again, and look at what the server answers"},
	{"State 1:", "TLC's list of states, which has no steps", "have TLC write the graph with -dump dot,actionlabels FILE.dot"},
	{"TLC2 Version ", "what TLC printed", "give the specification (.tla) or its graph (.dot) as the model, and this file as the counterexample"},
	{"digraph", "a DOT graph", "give the model it was drawn from"},
}

const (
	shape         = "(from, label, to)"
	probabilistic = "this is mCRL2's probabilistic LTS format, which inev does not read: replace the distributions over states by ordinary transitions"
	autx          = "this looks like CLEAR's .autx format, an LTS with classes already marked: name it .autx, or give the .aut model it was made from"
)

// refusal explains why a line is no transition.
type refusal struct {
	message string
	// unfinished reports whether the line is the beginning of a transition: if the file ends here,
	// it was cut off.
	unfinished bool
}

// explainTransition explains why parseTransition refused a line that is not blank.
// It reads from left to right, as a person does, and names the first error.
func explainTransition(line []byte) refusal {
	text := trimBlanks(line)
	noTransition := refusal{message: "expected a transition " + shape + ", found " + inputfile.Quote(text)}
	switch {
	case text[0] != '(' && bytes.HasPrefix(text, []byte("des")):
		return refusal{message: "a second header: one file holds one LTS, these look like two files joined"}
	case text[0] != '(':
		return noTransition
	}
	source, rest, hasComma := bytes.Cut(text[1:], []byte(","))
	if !hasComma {
		noTransition.unfinished = text[len(text)-1] != ')'
		return noTransition
	}
	source = trimBlanks(source)
	_, end := number(source, 0)
	if end > 0 && end < len(source) && source[end] == ':' {
		return refusal{message: autx}
	}
	wrong := explainNumber("source state", source)
	if wrong != "" {
		return refusal{message: wrong}
	}
	comma := bytes.LastIndexByte(rest, ',')
	if comma < 0 {
		return explainUnended(trimBlanks(rest), noTransition)
	}
	return explainAfterSource(trimBlanks(rest[:comma]), trimBlanks(rest[comma+1:]))
}

// explainUnended explains what is wrong with a line that has no comma behind its label.
func explainUnended(label []byte, noTransition refusal) refusal {
	target, isClosed := bytes.CutSuffix(label, []byte(")"))
	wrong := explainLabel(label)
	switch {
	case wrong != "":
		isNoState := explainNumber("", trimBlanks(target)) != ""
		return refusal{message: wrong, unfinished: len(label) > 0 && isNoState}
	case !isClosed:
		return unclosedTransition
	}
	return noTransition
}

// explainAfterSource explains what is wrong with a label, or with the target and the parenthesis after it.
func explainAfterSource(label, tail []byte) refusal {
	_, end := number(tail, 0)
	behind := tail[skipBlanks(tail, end):]
	if end > 0 && len(behind) > 1 && behind[0] == ')' {
		return refusal{message: "unexpected " + inputfile.Quote(trimBlanks(behind[1:])) +
			" after the closing parenthesis: a line holds one transition"}
	}
	target, isClosed := bytes.CutSuffix(tail, []byte(")"))
	wrongTarget := explainNumber("target state", trimBlanks(target))
	wrong := explainLabel(label)
	switch {
	case wrong != "":
		return refusal{message: wrong, unfinished: len(label) > 0 && wrongTarget != ""}
	case !isClosed:
		return unclosedTransition
	}
	return refusal{message: wrongTarget}
}

// unclosedTransition is the refusal of a line that ends before its parenthesis.
var unclosedTransition = refusal{
	message:    "the closing parenthesis is missing: a transition is " + shape,
	unfinished: true,
}

// explainLabel explains the error in the text between the first comma and the
// final one, "" if there is none.
func explainLabel(text []byte) string {
	if len(text) == 0 {
		return `the label is missing: an empty label is written ""`
	}
	last := bytes.LastIndexByte(text, '"')
	behind := text[last+1:]
	switch {
	case text[0] != '"' && len(text) <= inputfile.MaxLabel:
		return ""
	case text[0] != '"':
		return inputfile.LongLabel(len(text))
	case last == 0:
		return "the closing quote of the label is missing: " + inputfile.Quote(text)
	case slices.Contains([]string{":GREEN", ":RED", ":BLACK", ":UNSET"}, string(trimBlanks(behind))): // marks of CLEAR
		return autx
	case len(behind) > 0:
		return "unexpected " + inputfile.Quote(trimBlanks(behind)) +
			" between the closing quote of the label and the comma"
	}
	if unquoted, _ := unquote(text); len(unquoted) > inputfile.MaxLabel {
		return inputfile.LongLabel(len(unquoted))
	}
	return ""
}

// explainNumber explains why the field of this name is no number, "" if it is
// one.
func explainNumber(name string, field []byte) string {
	_, end := number(field, 0)
	switch {
	case len(field) == 0:
		return "the " + name + " is missing"
	case end == len(field):
		return ""
	case isDistribution(field):
		return probabilistic
	case field[0] == '-' && len(field) > 1 && explainNumber(name, field[1:]) == "":
		return fmt.Sprintf("the %s is negative: %s", name, digits(field))
	}
	return fmt.Sprintf("the %s is not a number: %s", name, inputfile.Quote(field))
}

// isDistribution reports whether a field has a distribution over states, such as 0 1/2 3, where .aut
// has a state.
func isDistribution(field []byte) bool {
	_, end := number(field, 0)
	return end > 0 && end < len(field) && bytes.IndexByte(field, '/') > 0
}

// Error is an error in a file. Its text is "FILE:LINE: what is wrong, and what to do about it".
type Error interface {
	error
	// Position returns the name of the file, "input" if the reader was given none, and the number of
	// the line, which counts from 1; 0 means the file as a whole.
	Position() (file string, line int)
}

// digits returns a number of a file for a message, shortened if it is long.
func digits(text []byte) string {
	if len(text) > 40 {
		return string(text[:40]) + "..."
	}
	return string(text)
}

// columns holds transitions in the order of the text. When a block is handed
// over, a range of columns is reserved for it, which several goroutines fill at
// the same time.
//
// As long as sources ascend, the order of the text is the order of rows, and only the beginning of
// each row is kept. Otherwise the sources are a column, too, which is sorted at the end. Memory
// grows with what has been read: a source far beyond what the transitions so far justify also makes
// sources a column, because only the header would justify memory for the rows up to it.
type columns struct {
	// states and declared are the numbers of states and transitions in the
	// header.
	states, declared uint64
	// isLongEnough reports whether the text is long enough for the declared transitions.
	isLongEnough bool
	// mostForRows is the largest number of transitions to which rows can point.
	mostForRows uint64

	// inUse is read-locked by goroutines that fill their ranges, and locked when
	// columns move to other memory.
	inUse   sync.RWMutex
	labels  lts.LabelColumn
	targets []lts.State
	// rows[s] is the index of the first transition whose source is s or larger,
	// for all s below begunRows.
	rows      []uint32
	begunRows uint64
	// sources is the column of sources if they do not ascend.
	sources    []uint32
	hasSources bool
}

// columnRange is the range of columns for the transitions of a block.
type columnRange struct {
	// isReserved is false for a block without a range.
	isReserved bool
	first      uint64
	// rowsBefore is the number of rows that begin before the block.
	rowsBefore uint64
}

// reserve makes room for the transitions that a scanner has found, from index
// first on; alphabet is the number of labels so far. It is called for one block
// after the other, and ends the reading if the budget of ctx does not have the memory.
func (c *columns) reserve(
	ctx context.Context,
	s *scanner,
	first uint64,
	alphabet int,
) columnRange {
	count := len(s.found)
	if count == 0 {
		return columnRange{}
	}
	end := first + uint64(count)
	c.reserveTransitions(ctx, first, end)
	c.reserveLabels(ctx, first, alphabet)
	if !c.hasSources {
		from := uint64(s.found[0].From)
		last := uint64(s.found[count-1].From)
		isAscending := !s.descends && from+1 >= c.begunRows
		isRoomJustified := last < min(c.states, inputfile.MostStates(end)) && end <= c.mostForRows
		if !isAscending || !isRoomJustified {
			c.turnIntoSources(ctx, first)
		}
	}
	reserved := columnRange{isReserved: true, first: first, rowsBefore: c.begunRows}
	if !c.hasSources {
		c.begunRows = uint64(s.found[count-1].From) + 1
		c.reserveRows(ctx, reserved.rowsBefore)
	}
	c.inUse.RLock()
	return reserved
}

// allocationFor returns the number of rows or transitions for which memory is allocated if n of
// them exist and more will follow. What has been read does not justify a larger number, and with a
// smaller one rows or transitions would move more often. Memory that is never written to costs
// nothing. From a million on, about 30 MB of text, the number is so large that a model moves at
// most once more; during a move the model is in memory twice.
func allocationFor(n uint64) uint64 {
	if n < 1<<20 {
		return 16 * n
	}
	return 1024 * n
}

// reserveTransitions makes room for count transitions in all. There are already first of them.
func (c *columns) reserveTransitions(ctx context.Context, first, count uint64) {
	if count <= uint64(len(c.targets)) {
		return
	}
	room := c.declared
	if !c.isLongEnough {
		room = min(room, max(1<<16, allocationFor(count)))
	}
	if count > room {
		room = count + count/2
	}
	c.inUse.Lock()
	defer c.inUse.Unlock()
	c.labels = abort.Must(c.labels.Moved(ctx, int(first), int(room), 0))
	c.targets = moved(ctx, c.targets[:first], room)
	if c.hasSources {
		c.sources = moved(ctx, c.sources[:first], room)
	}
}

// reserveLabels makes room for labels below alphabet; the transitions below index first
// exist.
func (c *columns) reserveLabels(ctx context.Context, first uint64, alphabet int) {
	if c.labels.Fits(alphabet) {
		return
	}
	c.inUse.Lock()
	defer c.inUse.Unlock()
	c.labels = abort.Must(c.labels.Moved(ctx, int(first), len(c.targets), alphabet))
}

// reserveRows makes room for the rows that have begun. If it moves the rows to a larger slice, it
// copies only those with an index less than before: these are filled, or other goroutines are
// filling them.
//
// It makes room for all declared states at once if the length of the text makes their number
// plausible: if the declared transitions are at least as many, and the text has room for them.
// Otherwise the room grows with the rows, since a short text may declare very many states.
func (c *columns) reserveRows(ctx context.Context, before uint64) {
	if c.begunRows <= uint64(len(c.rows)) {
		return
	}
	c.inUse.Lock()
	defer c.inUse.Unlock()
	room := c.states + 1
	arePlausible := c.isLongEnough && c.states <= c.declared
	if !arePlausible {
		room = min(room, max(1<<12, allocationFor(c.begunRows)))
	}
	c.rows = moved(ctx, c.rows[:before], room)
}

// moved returns a copy with room for n elements.
func moved[E any](ctx context.Context, from []E, n uint64) []E {
	to := abort.Must(resources.Make[E](ctx, int(n)))
	copy(to, from)
	return to
}

// turnIntoSources turns rows into a column of sources; the transitions below index
// first exist.
func (c *columns) turnIntoSources(ctx context.Context, first uint64) {
	c.inUse.Lock()
	defer c.inUse.Unlock()
	c.hasSources = true
	c.sources = abort.Must(resources.Make[uint32](ctx, len(c.targets)))
	for state := range c.begunRows {
		end := first
		if state+1 < c.begunRows {
			end = uint64(c.rows[state+1])
		}
		for i := uint64(c.rows[state]); i < end; i++ {
			c.sources[i] = uint32(state)
		}
	}
	c.rows = nil
}

// put fills the range that was reserved.
func (c *columns) put(s *scanner, reserved columnRange) {
	if !reserved.isReserved {
		return
	}
	defer c.inUse.RUnlock()
	found := s.found
	numbers := s.numbers
	targets := c.targets[reserved.first:][:len(found)]
	s.renumbered = s.renumbered[:0]
	for i, t := range found {
		s.renumbered = append(s.renumbered, numbers[t.Label])
		targets[i] = t.To
	}
	c.labels.Put(int(reserved.first), s.renumbered)
	if !c.hasSources {
		putRows(c.rows, found, uint32(reserved.first), uint32(reserved.rowsBefore))
		return
	}
	sources := c.sources[reserved.first:][:len(found)]
	for i, t := range found {
		sources[i] = uint32(t.From)
	}
}

// putRows fills the rows that begin with transitions of a block, the first of which has index
// first. The rows below rowsBefore belong to other blocks. The loop goes backwards, so the last
// index that is written to a row is that of its first transition.
func putRows(rows []uint32, found []lts.Transition, first, rowsBefore uint32) {
	i := len(found) - 1
	next := uint32(found[i].From) + 1
	for ; i >= 0; i-- {
		from := uint32(found[i].From)
		if from < rowsBefore {
			break
		}
		for ; next > from+1; next-- {
			rows[next-1] = first + uint32(i) + 1
		}
		rows[from] = first + uint32(i)
		next = from
	}
	for ; next > rowsBefore; next-- {
		rows[next-1] = first + uint32(i+1)
	}
}

// lts returns the LTS of the transitions 0 to count-1.
func (c *columns) lts(
	ctx context.Context,
	initial lts.State,
	states, count uint64,
	alphabet *lts.Alphabet,
	workers int,
) *lts.LTS {
	if hasSpare(c.targets, count) {
		abort.On(resources.Ask(ctx, 4*int64(count)))
		c.labels = abort.Must(c.labels.Moved(ctx, int(count), int(count), 0))
	}
	labels := c.labels
	labels.Cut(int(count))
	targets := trimmed(c.targets, count)
	if c.hasSources {
		columns := lts.Columns{
			Sources: trimmed(c.sources, count),
			Labels:  labels,
			Targets: targets,
		}
		c.sources = nil
		c.labels = lts.LabelColumn{}
		c.targets = nil
		return abort.Must(lts.FromColumns(ctx, initial, int(states), alphabet, columns,
			workers))
	}
	if uint64(len(c.rows)) < states+1 {
		c.rows = moved(ctx, c.rows[:c.begunRows], states+1)
	}
	rows := c.rows[:states+1]
	for s := c.begunRows; s <= states; s++ {
		rows[s] = uint32(count)
	}
	return abort.Must(lts.FromRows(initial, alphabet, rows, labels, targets))
}

// trimmed returns the first n elements, copied if their memory is much larger.
func trimmed[E any](all []E, n uint64) []E {
	if hasSpare(all, n) {
		return slices.Clone(all[:n])
	}
	return all[:n]
}

func hasSpare[E any](all []E, n uint64) bool { return uint64(cap(all))-n > n/4 }

// LinesOf returns the lines, from 1, on which a file has these transitions of the
// model that was read from it. plain is false if the file is compressed: then the
// lines are lines of the decompressed text. LinesOf understands what [Open] does:
// compressed files, blank lines before and between transitions, a byte order
// mark.
//
// It parses only the lines that it returns, and counts the others. It fails if
// one of these lines does not have its transition, because the file has changed
// since; if the file cannot be read or has fewer lines; if the model does not
// have the transitions; or if ctx is done. Cost O(length of the file up to the
// last line), a block of lines at a time, O(T) of the model, and O(n log n) for
// n transitions.
func LinesOf(
	ctx context.Context,
	path string,
	m *lts.LTS,
	wanted []lts.Transition,
) (lines []int, plain bool, err error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
	); err != nil {
		return nil, false, err
	}
	defer abort.Caught(&err)
	indexes, err := indexesOf(ctx, m, wanted)
	if err != nil {
		return nil, false, err
	}
	lines, plain = linesOfFile(ctx, path, indexes, func(i int, line []byte) bool {
		found, ok := parseTransition(bytes.TrimSuffix(line, []byte("\r")))
		want := wanted[i]
		return ok && found.from == uint64(want.From) && found.to == uint64(want.To) &&
			string(found.label) == m.Alphabet().Text(want.Label)
	})
	return lines, plain, nil
}

// indexesOf returns the indexes of transitions in the order of the model, the first one for equal
// transitions. It fails if the model does not have one of them.
func indexesOf(ctx context.Context, m *lts.LTS, wanted []lts.Transition) ([]int, error) {
	const missing = -1
	found := make(map[lts.Transition]int, len(wanted))
	for _, t := range wanted {
		found[t] = missing
	}
	unfound := len(found)
	next := 0
	for t := range m.Transitions() {
		if unfound == 0 {
			break
		}
		index, isWanted := found[t]
		if isWanted && index == missing {
			found[t] = next
			unfound--
		}
		next++
		if next%65536 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	indexes := make([]int, len(wanted))
	for i, t := range wanted {
		indexes[i] = found[t]
		if indexes[i] == missing {
			return nil, fmt.Errorf("the model has no transition from %d to %d with label %d",
				t.From, t.To, t.Label)
		}
	}
	return indexes, nil
}

// linesOfFile finds the lines of the transitions with these indexes, which count from 0.
// hasTransition reports whether a line has the transition with indexes[i].
func linesOfFile(
	ctx context.Context,
	path string,
	indexes []int,
	hasTransition func(i int, line []byte) bool,
) (lines []int, plain bool) {
	f, err := inputfile.OpenRegular(ctx, path)
	if err != nil {
		abort.On(ctx.Err())
		abort.On(inputfile.FileError(path, err))
	}
	defer f.Close()
	var start [compressed.MagicSize]byte
	n, _ := io.ReadFull(f, start[:]) // the file may be shorter: then it is not compressed
	text := stoppable.Reader(ctx, f)
	if _, err := f.Seek(0, io.SeekStart); err != nil { // a pipe cannot be rewound
		text = io.MultiReader(bytes.NewReader(start[:n]), text)
	}
	s := newLineSearch(path, indexes)
	s.hasTransition = hasTransition
	return s.in(ctx, text, lineblocks.Size), compressed.Format(start[:n]) == ""
}

// lineSearch finds the lines of transitions in a text.
type lineSearch struct {
	*decoder
	indexes []int // of the transitions, from 0
	// hasTransition reports whether a line still has the transition with the index indexes[i]. If it is
	// nil, lines are not checked.
	hasTransition func(i int, line []byte) bool
	// wanted has the positions in indexes whose lines are not known yet, in the order of the text.
	wanted []int
	lines  []int // the results, from 1
	next   int   // the index of the transition on the next line that is not blank; -1 before the header
}

// newLineSearch returns a search for the transitions with these indexes in the text of this name.
func newLineSearch(name string, indexes []int) *lineSearch {
	return &lineSearch{
		decoder: newDecoder(Options{Name: name}, -1),
		indexes: indexes,
		wanted:  sortedPositions(indexes),
		lines:   make([]int, len(indexes)),
		next:    -1,
	}
}

// in reads a text in blocks of the given size, and returns the lines of the transitions. It fails if the
// text lacks a transition.
func (s *lineSearch) in(ctx context.Context, r io.Reader, size int) []int {
	in, err := lineblocks.NewInput(r, size, nil)
	if err != nil {
		abort.On(ctx.Err())
		abort.On(s.readError(err))
	}
	defer in.Close()
	for block := new(lineblocks.Block); len(s.wanted) > 0; {
		err := in.Next(ctx, block)
		switch {
		case err == io.EOF:
			s.refuse(0, "has no transition %d any more: the file has changed since it was read",
				s.indexes[s.wanted[0]]+1)
		case err != nil:
			abort.On(err)
		case block.Err != nil:
			abort.On(s.readError(block.Err))
		}
		s.readBlock(block.Text)
	}
	return s.lines
}

// readBlock reads whole lines, up to the last one that is wanted.
func (s *lineSearch) readBlock(text []byte) {
	if s.line == 0 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	for len(text) > 0 && len(s.wanted) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		s.line++
		isBlank := len(trimBlanks(line)) == 0
		if isBlank {
			continue
		}
		s.note(line)
		s.next++
	}
}

// note records the present line for the positions whose transition it has.
func (s *lineSearch) note(line []byte) {
	for len(s.wanted) > 0 && s.indexes[s.wanted[0]] == s.next {
		if s.hasTransition != nil && !s.hasTransition(s.wanted[0], line) {
			s.refuse(s.line,
				"this is not transition %d any more: the file has changed since it was read", s.next+1)
		}
		s.lines[s.wanted[0]] = s.line
		s.wanted = s.wanted[1:]
	}
}

// sortedPositions returns the positions in a slice in the order of their values.
func sortedPositions(values []int) []int {
	positions := make([]int, len(values))
	for i := range positions {
		positions[i] = i
	}
	slices.SortFunc(positions, func(a, b int) int {
		return cmp.Compare(values[a], values[b])
	})
	return positions
}
