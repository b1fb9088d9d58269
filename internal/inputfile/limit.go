package inputfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/inev-lts/inev/internal/stoppable"
)

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
		return fmt.Sprintf("it is %s that goes on after %s, which is all that is taken here; give a regular file", e.Kind, size(e.Limit.Bytes))
	case e.Limit.Remedy != "":
		return fmt.Sprintf("it is longer than %s, which is all that is taken here; %s", size(e.Limit.Bytes), e.Limit.Remedy)
	}
	return fmt.Sprintf("it is longer than %s, which is all that is taken here", size(e.Limit.Bytes))
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
// limit, that of ctx once it is done, and otherwise the error of the operating system. Cost
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

// ReadRegular is [Read] for files that are read again later, or without a user who waits: a file
// that is not regular is refused by a [*KindError], without waiting for it.
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

// OpenRegular opens a regular file for reading. A file that is not regular is
// refused by a [*KindError], without waiting for it. It also fails with the error
// of ctx, and of the operating system.
func OpenRegular(ctx context.Context, path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &KindError{kind(info.Mode())}
	}
	f, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &KindError{kind(info.Mode())} // a file was replaced by something else
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFrom is [Read] for an open reader, such as standard input.
func ReadFrom(ctx context.Context, r io.Reader, limit Limit) ([]byte, error) {
	return read(ctx, r, limit, "")
}

// chunk is how many bytes are read between two checks of the context.
const chunk = 1 << 20

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

func (l *limited) Read(data []byte) (int, error) {
	if l.left < 0 {
		return 0, &SizeError{Limit: l.limit}
	}
	// The additional byte shows the caller that the limit is exceeded.
	if int64(len(data))-1 > l.left {
		data = data[:l.left+1]
	}
	n, err := l.r.Read(data)
	if l.left -= int64(n); l.left < 0 {
		return n - 1, &SizeError{Limit: l.limit}
	}
	return n, err
}
