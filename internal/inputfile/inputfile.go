// Package inputfile opens the files that users name, reads their lines, and reports errors in them
// with their position. Waiting for a file ends with the context, no more of a file than allowed is
// held in memory, and the text of an [*Error] is one line that begins with the name of the file.
package inputfile

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/stoppable"
)

// MaxLabel is the largest number of bytes of a label that readers of models accept. Larger data
// belongs into values of states. Because of this limit, work on one label, such as splitting a
// multi-action, need not be interruptible.
const MaxLabel = 1 << 20

// LongLabel returns the sentence which says that a label of this many bytes is longer than
// [MaxLabel].
func LongLabel(bytes int) string {
	return fmt.Sprintf("a label has %d bytes; at most %d are allowed: abstract from the data in it, or keep them as values of states", bytes, MaxLabel)
}

// Open opens a file for reading until ctx is done: from then on it no longer waits for a writer of
// a named pipe, and reads of the result fail. A regular file is an [*os.File], so its parts can be
// read in any order. In a context from [Untrusted] it is [OpenRegular].
func Open(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	reader := stoppable.Reader(ctx, f)
	if _, isRegular := reader.(*os.File); isRegular {
		return f, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{reader, f}, nil
}

// open opens a file for reading. Opening a named pipe waits for a writer; this
// waiting ends once ctx is done.
func open(ctx context.Context, path string) (*os.File, error) {
	if untrustedIn(ctx) != nil {
		return OpenRegular(ctx, path)
	}
	openNow := func() (*os.File, error) { return os.Open(path) }
	closeLate := func(f *os.File) { _ = f.Close() } // closes a file that was opened only after ctx was done
	f, _, err := stoppable.Do(ctx, openNow, closeLate)
	return f, err
}

// OpenModel opens a file that should hold a model, as [Open] does, and refuses a
// directory. Errors are of type *[Error] with name as the name of the file,
// except for the error of a context that is done.
func OpenModel(ctx context.Context, path, name string) (io.ReadCloser, error) {
	if err := CheckModel(path, name); err != nil {
		return nil, err
	}
	f, err := Open(ctx, path)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, FileError(name, err)
	}
	return f, nil
}

// CheckModel returns the error of [OpenModel] for a path that cannot be a model,
// without opening the file.
func CheckModel(path, name string) error {
	info, err := os.Stat(path)
	if err != nil {
		return FileError(name, err)
	}
	if info.IsDir() {
		return &Error{File: name, Message: "this is a directory: name an .aut file in it"}
	}
	return nil
}

// Unchanged reports whether two descriptions are of one file that was not written to between them,
// as far as the system knows.
func Unchanged(before, after fs.FileInfo) bool {
	return os.SameFile(before, after) && before.Size() == after.Size() &&
		before.ModTime().Equal(after.ModTime())
}

// Limit is the largest size of a kind of file.
type Limit struct {
	// Bytes is the largest size.
	Bytes int64
	// Remedy says what a user can do about a file that is larger, such as "split it".
	Remedy string
}

// SizeError is the error of a file that is too large. It does not name the file.
type SizeError struct {
	Limit Limit
	// Kind is the kind of the file in words, "" for a regular file. A file of another kind may have
	// no end.
	Kind string
}

// Error is one line.
func (e *SizeError) Error() string {
	switch {
	case e.Kind != "":
		return fmt.Sprintf("it is %s with more than %s, the limit here; give a regular file",
			e.Kind, size(e.Limit.Bytes))
	case e.Limit.Remedy != "":
		return fmt.Sprintf("it is longer than %s, the limit here; %s", size(e.Limit.Bytes),
			e.Limit.Remedy)
	}
	return fmt.Sprintf("it is longer than %s, the limit here", size(e.Limit.Bytes))
}

func size(bytes int64) string {
	const kib, mib = 1 << 10, 1 << 20
	switch {
	case bytes >= mib && bytes%mib == 0:
		return fmt.Sprintf("%d MiB", bytes/mib)
	case bytes >= kib && bytes%kib == 0:
		return fmt.Sprintf("%d KiB", bytes/kib)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// KindError is the error of something that cannot be read as a file, or is not
// regular where a regular file is required. It does not name the file.
type KindError struct {
	// Kind names the kind of the thing, such as "a folder".
	Kind string
}

// Error is one line.
func (e *KindError) Error() string { return "it is " + e.Kind + "; give a regular file" }

// Read returns the content of a file. It also reads a pipe or a device, up to the limit; it refuses
// a folder or a socket by a [*KindError]. The error is a [*SizeError] if the content exceeds the
// limit, ctx.Err() once ctx is done, and otherwise the error of the operating system. Cost
// O(bytes), and never more than the limit.
func Read(ctx context.Context, path string, limit Limit) ([]byte, error) {
	f, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	mode := info.Mode()
	if mode.IsDir() || mode&fs.ModeSocket != 0 {
		return nil, &KindError{kind(mode)}
	}
	if mode.IsRegular() && info.Size() > limit.Bytes {
		return nil, &SizeError{Limit: limit}
	}
	return read(ctx, f, limit, kind(mode))
}

// ReadRegular is [Read] for files that are read again later, or without a user who could interrupt
// a wait. It refuses a file that is not regular with a [*KindError], without waiting for it.
func ReadRegular(ctx context.Context, path string, limit Limit) ([]byte, error) {
	f, err := OpenRegular(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > limit.Bytes {
		return nil, &SizeError{Limit: limit}
	}
	return read(ctx, f, limit, "")
}

// Digest returns the SHA-256 of a regular file's content, in hexadecimal digits, and its length in
// bytes. It fails as [OpenRegular] does, or if the file cannot be read. Cost O(size of the file).
func Digest(ctx context.Context, path string) (digest string, size int64, err error) {
	f, err := OpenRegular(ctx, path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	sum := sha256.New()
	size, err = io.Copy(sum, stoppable.EachRead(ctx, f))
	return hex.EncodeToString(sum.Sum(nil)), size, err
}

// ReadFrom is [Read] for an open reader, such as standard input.
func ReadFrom(ctx context.Context, r io.Reader, limit Limit) ([]byte, error) {
	return read(ctx, r, limit, "")
}

// chunk is how many bytes are read between two checks of the context.
const chunk = 1 << 20

// read is [ReadFrom]. The kind of the file, in words, is for the error about its size.
func read(ctx context.Context, r io.Reader, limit Limit, kind string) ([]byte, error) {
	in := Limited(stoppable.Reader(ctx, r), limit)
	var content []byte
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := io.ReadAll(io.LimitReader(in, chunk))
		content = append(content, more...)
		var larger *SizeError
		switch {
		case errors.As(err, &larger):
			return nil, &SizeError{Limit: limit, Kind: kind}
		case err != nil:
			return nil, err
		case len(more) == 0:
			return content, nil
		}
	}
}

// kind returns the kind of a file in words, "" for a regular file.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// Limited returns a reader of r that fails with a [*SizeError] once r has more bytes than the
// limit.
func Limited(r io.Reader, limit Limit) io.Reader { return &limited{r, limit, limit.Bytes} }

type limited struct {
	r     io.Reader
	limit Limit
	left  int64
}

// Read reads at most one byte beyond the limit, which it does not return.
func (l *limited) Read(data []byte) (int, error) {
	if l.left < 0 {
		return 0, &SizeError{Limit: l.limit}
	}
	// The additional byte shows that the limit is exceeded.
	if int64(len(data))-1 > l.left {
		data = data[:l.left+1]
	}
	n, err := l.r.Read(data)
	l.left -= int64(n)
	if l.left < 0 {
		return n - 1, &SizeError{Limit: l.limit}
	}
	return n, err
}

// ErrLongLine reports that a line is longer than is allowed.
var ErrLongLine = bufio.ErrTooLong

// EachLine calls do with each line of a text and its number, without the end of the line and without a
// byte order mark before the first one. The bytes are valid only during the call. It ends with
// the first error: of do, of ctx, of the reader, or [ErrLongLine] at a line of more than longest
// bytes; at is the number of the line where it ended, or of the last line if there was no error.
// Cost O(length of the text) time.
func EachLine(
	ctx context.Context,
	r io.Reader,
	longest int,
	do func(number int, text []byte) error,
) (line int, err error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, min(longest, 64<<10)), longest)
	const linesPerCheck = 1 << 12 // of the context
	for scanner.Scan() {
		if line%linesPerCheck == 0 && ctx.Err() != nil {
			return line, ctx.Err()
		}
		line++
		text := scanner.Bytes()
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if err := do(line, text); err != nil {
			return line, err
		}
	}
	err = scanner.Err()
	switch {
	case ctx.Err() != nil:
		return line, ctx.Err()
	case errors.Is(err, ErrLongLine):
		return line + 1, ErrLongLine
	default:
		return line, err
	}
}

// EachModelLine calls do with each line of a text, as [EachLine] does, for a reader of models and
// their values. An error of another type than [Error] counts as an error of reading, and gets the
// name of the file. The error of a line with more than longest bytes says that the text does not
// look like a file of the expected kind, such as "an .fsm file".
func EachModelLine(
	ctx context.Context,
	r io.Reader,
	name string,
	longest int,
	expected string,
	do func(number int, text []byte) error,
) error {
	at, err := EachLine(ctx, r, longest, do)
	switch {
	case err == nil, ctx.Err() != nil, errors.As(err, new(*Error)):
		return err
	case errors.Is(err, ErrLongLine):
		return NewError(name, at,
			fmt.Errorf("this line is longer than %d MiB: this does not look like %s",
				longest>>20, expected))
	}
	return FileError(name, err)
}

// Error describes what is wrong with a file, and where.
type Error struct {
	// File is the name of the file, "input" if the reader was given none.
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Message is one line: what is wrong, and what to do about it.
	Message string

	cause error
}

// Error returns "FILE:LINE: message", without the line if it is 0.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Message
}

// Position returns the file and the line.
func (e *Error) Position() (file string, line int) { return e.File, e.Line }

// Unwrap returns the error of the operating system or of the decompressor, nil if
// there is none.
func (e *Error) Unwrap() error { return e.cause }

// NewError returns a reader's error about a line of a file, 0 for the file as a
// whole. The message is that of the cause.
func NewError(file string, line int, cause error) *Error {
	return &Error{
		File:    file,
		Line:    line,
		Message: cause.Error(),
		cause:   cause,
	}
}

// Because returns a reader's error with a message of its own. errors.Is finds the
// cause, which may be nil.
func Because(file string, line int, message string, cause error) *Error {
	return &Error{
		File:    file,
		Line:    line,
		Message: message,
		cause:   cause,
	}
}

// FileError returns the error for a file that cannot be opened or read, with the
// remedy if the cause has one. errors.Is finds the cause.
func FileError(name string, err error) error {
	message := "cannot be read: " + err.Error()
	var ofSystem *fs.PathError
	var damage *compressed.DamagedError
	switch {
	case errors.As(err, &damage):
		message = damage.Error()
		err = damage.Cause
	case errors.Is(err, fs.ErrNotExist):
		message = "there is no such file: check its name"
	case errors.Is(err, fs.ErrPermission):
		message = "permission denied: make the file readable"
	case errors.As(err, &ofSystem):
		message = "cannot be read: " + ofSystem.Err.Error()
	}
	return &Error{File: name, Message: message, cause: err}
}

// quoted is how many bytes of a file [Quote] shows.
const quoted = 40

// Quote returns bytes of a file for a message: escaped and shortened.
func Quote(text []byte) string {
	if len(text) > quoted {
		return strconv.Quote(string(text[:quoted])) + "..."
	}
	return strconv.Quote(string(text))
}

// MostStates is the number of states that a file with this many transitions may declare. A
// transition mentions at most two new states; the factor and the constant leave room for models
// with unreachable states, and for parts of models that keep the state numbers of the whole.
func MostStates(transitions uint64) uint64 { return 64*transitions + 1_000_000 }
