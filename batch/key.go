package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/inev-lts/inev/internal/inputfile"
)

// Digest returns the SHA-256 of a file's content, in hexadecimal digits. It fails if the file
// cannot be read, or if ctx is done. Cost O(size of the file).
func Digest(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", inputfile.FileError(path, err)
	}
	defer f.Close()
	h := sha256.New()
	size := int64(128 << 10)
	if info, err := f.Stat(); err == nil {
		size = min(size, info.Size()+1)
	}
	buffer := make([]byte, size)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.Read(buffer)
		h.Write(buffer[:n])
		switch {
		case err == io.EOF:
			return hex.EncodeToString(h.Sum(nil)), nil
		case err != nil:
			return "", inputfile.FileError(path, err)
		}
	}
}

// Key returns what identifies the job with all that its answer depends on; digest is
// that of the bytes that the model was made of, version that of the tool. Cost O(length of the texts).
func (j Job) Key(digest, version string) string {
	inputs := struct {
		Schema, Version, Digest, Formula string
		Automaton, States, Source, Lanes string `json:",omitempty"`
		Options                          Options
	}{Schema: ResultSchema, Version: version, Digest: digest, Formula: j.Formula, Options: j.Options}
	if j.Automaton != nil {
		inputs.Automaton = j.Automaton.Digest
	}
	if j.States != nil {
		inputs.States = j.States.Digest
	}
	if j.Source != nil {
		inputs.Source = j.Source.Digest
	}
	if j.Lanes != nil {
		inputs.Lanes = j.Lanes.Digest
	}
	text, err := json.Marshal(inputs)
	if err != nil {
		panic(err) // texts, numbers and truth values can be written always
	}
	return sum(text)
}

func sum(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// folderOf returns the folder for the files of a job, relative to that of the
// results and with slashes. It depends on the name alone, so that links to it stay right
// when the model or the formula changes, and differs for different names, whichever shard or
// machine does them; what is readable in it is the name, as far as that goes on every file
// system.
func folderOf(name string) string {
	const most = 60
	var slug strings.Builder
	for _, c := range strings.ToLower(name) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_'
		switch {
		case slug.Len() >= most:
		case plain && (c != '.' || slug.Len() > 0): // nothing hidden
			slug.WriteRune(c)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
	}
	readable := strings.Trim(slug.String(), "-.")
	if readable == "" {
		readable = "job"
	}
	return jobsName + "/" + readable + "-" + sum([]byte(name))[:folderDigits]
}

// folderDigits is how many hexadecimal digits end the name of a job's folder.
const folderDigits = 10

// isJobFolder reports whether a folder has a name that [folderOf] gives.
func isJobFolder(name string) bool {
	dash := len(name) - folderDigits - 1
	return dash > 0 && name[dash] == '-' && strings.Trim(name[dash+1:], "0123456789abcdef") == ""
}
