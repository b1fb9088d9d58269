package format

import (
	"context"
	"io"
	"os"

	"github.com/inev-lts/inev/internal/progress"
)

// metered returns a reader of r that tells the phase "read" how many bytes of r were read,
// for formats whose readers do not.
func metered(ctx context.Context, r io.Reader) io.Reader {
	total := int64(0)
	switch r := r.(type) {
	case *os.File:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			total = info.Size()
		}
	case *hashed:
		total = int64(max(0, r.Len()))
	}
	return &meteredReader{r, progress.Start(ctx, "read", progress.Bytes, total)}
}

type meteredReader struct {
	r     io.Reader
	meter *progress.Meter
}

func (m *meteredReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.meter.Add(int64(n))
	return n, err
}
