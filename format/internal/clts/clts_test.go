package clts

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

func written(t testing.TB, m *lts.LTS) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := Write(&file, m); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func readBack(file []byte, workers int) (*lts.LTS, error) {
	return Read(context.Background(), bytes.NewReader(file), Options{Name: "m.clts", Workers: workers})
}

// same fails unless both models are the same, row by row.
func same(t testing.TB, want, got *lts.LTS) {
	t.Helper()
	if got.NumStates() != want.NumStates() || got.NumTransitions() != want.NumTransitions() || got.Initial() != want.Initial() || got.Alphabet().Len() != want.Alphabet().Len() {
		t.Fatalf("%d states, %d transitions, want %d and %d", got.NumStates(), got.NumTransitions(), want.NumStates(), want.NumTransitions())
	}
	for s := range lts.State(want.NumStates()) {
		labels, targets := want.Out(s)
		ofGot, toGot := got.Out(s)
		if len(targets) != len(toGot) {
			t.Fatalf("state %d has %d transitions, want %d", s, len(toGot), len(targets))
		}
		for i := range targets {
			if targets[i] != toGot[i] || want.Alphabet().Text(labels.At(i)) != got.Alphabet().Text(ofGot.At(i)) {
				t.Fatalf("state %d, transition %d: %s to %d, want %s to %d", s, i, got.Alphabet().Text(ofGot.At(i)), toGot[i], want.Alphabet().Text(labels.At(i)), targets[i])
			}
		}
	}
}

// drawn is a model of which rows, labels and distances are small or large, as the seed has it.
func drawn(t testing.TB, seed uint64, states, transitions int) *lts.LTS {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var b lts.Builder
	labels := 1 + r.IntN([]int{1, 3, 300, 70_000}[r.IntN(4)])
	for l := range labels {
		b.Label(fmt.Sprint("label ", l))
	}
	near := 1 + r.IntN([]int{2, 100, states}[r.IntN(3)])
	for range transitions {
		from := r.IntN(states)
		if r.IntN(4) == 0 {
			from = r.IntN(1 + states/50)
		}
		to := r.IntN(states)
		if r.IntN(3) > 0 {
			to = min(states-1, max(0, from+r.IntN(2*near)-near))
		}
		b.Add(lts.State(from), lts.Label(r.IntN(labels)), lts.State(to))
	}
	m, err := b.Build(lts.State(r.IntN(states)), states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	for seed := range randomlts.Share(500) {
		m := randomlts.Seeded(seed, randomlts.Small()).Model
		if seed%5 == 0 {
			m = drawn(t, seed, 1+int(seed)*37%3_000, int(seed)*91%9_000)
		}
		file := written(t, m)
		back, err := readBack(file, 1+int(seed)%3)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		same(t, m, back)
		if !bytes.Equal(file, written(t, back)) {
			t.Fatalf("seed %d: what was read is written in another way", seed)
		}
	}
}

// TestManyBlocks: models of several blocks of states and of transitions, the last of which may be
// just full, with states without transitions where blocks meet.
func TestManyBlocks(t *testing.T) {
	for i, size := range [][2]int{{blockLength, blockLength}, {2*blockLength + 1, 3*blockLength - 1}, {blockLength - 1, 3*blockLength + 17}, {3, 2 * blockLength}, {2 * blockLength, 0}} {
		m := drawn(t, uint64(i), size[0], size[1])
		file := written(t, m)
		for _, workers := range []int{1, 4} {
			back, err := readBack(file, workers)
			if err != nil {
				t.Fatal(err)
			}
			same(t, m, back)
		}
	}
}

// TestSize: a model of 2^18 states with targets anywhere takes 18 bits for each target, 4 for a
// label of 16, and little beside.
func TestSize(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const states, degree = 1 << 18, 3
	var b lts.Builder
	for l := range 16 {
		b.Label(fmt.Sprint(l))
	}
	for i := range states * degree {
		b.Add(lts.State(i/degree), lts.Label(r.IntN(16)), lts.State(r.IntN(states)))
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	if each := float64(len(written(t, m))) / (states * degree); each > (18+4+3)/8.0 {
		t.Errorf("%.2f bytes a transition", each)
	}
}

// streamed hides how long a text is, and counts what is read of it.
type streamed struct {
	io.Reader
	read int
}

func (s *streamed) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.read += n
	return n, err
}

// endless has zeros forever.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestStreamsTakeWhatTheyHave: of a stream no more is read, and held, than its beginning has reason for.
func TestStreamsTakeWhatTheyHave(t *testing.T) {
	file := written(t, randomlts.Seeded(3, randomlts.Small()).Model)
	large := bytes.Clone(file)
	binary.LittleEndian.PutUint64(large[24:], 1<<32-1) // transitions
	binary.LittleEndian.PutUint32(large[60:], checksum(large[:60]))
	for _, c := range []struct {
		start []byte
		most  int
	}{{nil, 128 << 10}, {file[:20], 128 << 10}, {file, 128 << 10}, {large, 4 << 20}} {
		s := &streamed{Reader: io.MultiReader(bytes.NewReader(c.start), endless{})}
		_, err := Read(context.Background(), s, Options{Name: "m.clts"})
		if err == nil || !strings.HasPrefix(err.Error(), "m.clts: ") || s.read > c.most {
			t.Errorf("%d bytes and zeros: %d bytes were read, at most %d were to be: %v", len(c.start), s.read, c.most, err)
		}
	}
}

// TestDamageIsSeen: each bit of a file that is wrong, each end that is missing, and each byte too
// many are refused, with the name of the file.
func TestDamageIsSeen(t *testing.T) {
	file := written(t, randomlts.Seeded(3, randomlts.Small()).Model)
	refused := func(what string, file []byte) {
		t.Helper()
		_, err := readBack(file, 1)
		var is *inputfile.Error
		if !errors.As(err, &is) || !strings.HasPrefix(err.Error(), "m.clts: ") {
			t.Fatalf("%s: %v", what, err)
		}
		if _, err := Read(context.Background(), &streamed{Reader: bytes.NewReader(file)}, Options{}); err == nil {
			t.Fatalf("%s: a stream is read", what)
		}
	}
	for bit := range 8 * len(file) {
		damaged := bytes.Clone(file)
		damaged[bit/8] ^= 1 << (bit % 8)
		refused(fmt.Sprint("bit ", bit), damaged)
	}
	for n := range file {
		refused(fmt.Sprint("cut off at ", n), file[:n])
	}
	refused("a byte too many", append(bytes.Clone(file), 0))
}

// mended returns a file with the checksums that its bytes have, as far as its sizes tell.
func mended(file []byte) []byte {
	if len(file) < headerSize {
		return file
	}
	file = bytes.Clone(file)
	number := binary.LittleEndian
	states, transitions := number.Uint64(file[16:]), number.Uint64(file[24:])
	if states < 1<<40 && transitions < 1<<40 {
		entries := 1 + blocksFor(int64(states)) + 2*blocksFor(int64(transitions))
		if at := headerSize + entries*entrySize; at <= len(file) {
			rest := file[at:]
			for i := range entries {
				entry := file[headerSize+i*entrySize:]
				size := min(int(number.Uint32(entry)), len(rest))
				number.PutUint32(entry[4:], checksum(rest[:size]))
				rest = rest[size:]
			}
			number.PutUint32(file[56:], checksum(file[headerSize:at]))
		}
	}
	number.PutUint32(file[60:], checksum(file[:60]))
	return file
}

// TestWrongContent: files with right checksums that no writer writes.
func TestWrongContent(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("a"), 1)
	b.Add(1, b.Label("b"), 0)
	m, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	file := written(t, m)
	blocks := headerSize + 4*entrySize
	// The labels "a" and "b", the degrees 1 1, the targets 1 0 and the labels 0 1.
	if want := []byte{1, 'a', 1, 'b', 1, 3, 1, 1, 1, 2}; !bytes.Equal(file[blocks:], want) {
		t.Fatalf("%v, want %v", file[blocks:], want)
	}
	for _, c := range []struct {
		at   int
		byte byte
		want string
	}{
		{8, 2, "version 2"},
		{12, 3, "labels"},
		{16, 0, "do not go together"},
		{32, 2, "do not go together"},
		{blocks + 3, 'a', "stands twice"},
		{blocks + 2, 0, "follow its labels"},
		{blocks + 2, 9, "labels are cut off"},
		{blocks + 5, 1, "do not have the 2 transitions"},
		{blocks + 4, 1<<6 | 1, "out of range"}, // degrees as differences
		{blocks + 6, 3<<6 | 1, "out of range"}, // an unknown mode
		{blocks + 6, 40, "out of range"},
		{blocks + 6, 0, "out of range"}, // bytes are left over
		{blocks + 6, 1<<6 | 1, "out of range"},
	} {
		wrong := bytes.Clone(file)
		wrong[c.at] = c.byte
		if _, err := readBack(mended(wrong), 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("byte %d as %d: %v, want …%s…", c.at, c.byte, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(written(f, randomlts.Seeded(seed, randomlts.Small()).Model))
	}
	f.Add(written(f, drawn(f, 2, 300, 700)))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, file := range [][]byte{file, mended(file)} {
			m, err := readBack(file, 2)
			if err != nil {
				continue
			}
			back, err := readBack(written(t, m), 1)
			if err != nil {
				t.Fatal(err)
			}
			same(t, m, back)
		}
	})
}

// TestWays: a model is the same from a file, a pipe and compressed.
func TestWays(t *testing.T) {
	m := drawn(t, 5, 500, 2_000)
	file := written(t, m)
	path := filepath.Join(t.TempDir(), "m.clts")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	back, err := Read(context.Background(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, m, back)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range []io.Reader{&packed, io.MultiReader(bytes.NewReader(file))} {
		if back, err = Read(context.Background(), r, Options{}); err != nil {
			t.Fatal(err)
		}
		same(t, m, back)
	}
}

func TestAdmit(t *testing.T) {
	m := drawn(t, 5, 500, 2_000)
	no := errors.New("too large")
	_, err := Read(context.Background(), bytes.NewReader(written(t, m)), Options{Admit: func(states, transitions int64) error {
		if states != 500 || transitions != 2_000 {
			t.Errorf("%d states and %d transitions", states, transitions)
		}
		return no
	}})
	if err != no {
		t.Errorf("%v", err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(done, bytes.NewReader(written(t, m)), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestEqualTexts: labels of the same text are one.
func TestEqualTexts(t *testing.T) {
	var b lts.Builder
	b.Over(lts.RepeatingAlphabet([]string{"a", "b", "a"}))
	b.Add(0, 2, 1)
	b.Add(0, 1, 1)
	b.Add(1, 0, 0)
	m, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	back, err := readBack(written(t, m), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(slices.Collect(back.Transitions())); got != "[{0 0 1} {0 1 1} {1 0 0}]" || back.Alphabet().Len() != 2 {
		t.Errorf("%s with %d labels", got, back.Alphabet().Len())
	}
}
