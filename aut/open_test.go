package aut

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string, mode fs.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "m.aut"), twoStepsText, 0o600)
	m, warnings, err := Open(context.Background(), path, Options{})
	if err != nil || len(warnings) > 0 || describe(m) != twoSteps {
		t.Error(m, warnings, err)
	}
	wrong := write(t, filepath.Join(t.TempDir(), "m.aut"), "des (0, 1, 1)\n", 0o600)
	for name, want := range map[string]string{"": wrong, "as given": "as given"} {
		_, _, err := Open(context.Background(), wrong, Options{Name: name})
		var e *Error
		if !errors.As(err, &e) || e.File != want || e.Line != 1 {
			t.Errorf("name %q: error %v", name, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "no.aut")
	_, _, err := Open(context.Background(), missing, Options{})
	if want := missing + ": there is no such file: check its name"; err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %s", err, want)
	}
	_, _, err = Open(context.Background(), dir, Options{})
	if want := dir + ": this is a directory: name an .aut file in it"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	// Even a directory with the name of a model is no model.
	named := filepath.Join(dir, "m.bcg")
	if err := os.Mkdir(named, 0o700); err != nil {
		t.Fatal(err)
	}
	_, _, err = Open(context.Background(), named, Options{})
	if want := named + ": this is a directory: name an .aut file in it"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	_, _, err = Open(context.Background(), "nul\x00.aut", Options{})
	if want := "nul\x00.aut: cannot be read: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestOpenErrorWithoutPermission(t *testing.T) {
	err := FileError("m.aut", &fs.PathError{Op: "open", Path: "m.aut", Err: fs.ErrPermission})
	if want := "m.aut: permission denied: make the file readable"; err.Error() != want || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// conversion is a directory for temporary files and one with programs, which
// Open is made to use.
func conversion(t *testing.T, programs map[string]string) (temporary string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	bin := t.TempDir()
	for name, script := range programs {
		write(t, filepath.Join(bin, name), "#!/bin/sh\n"+script, 0o700)
	}
	temporary = t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("TMPDIR", temporary)
	return temporary
}

func TestOpenConverts(t *testing.T) {
	// Each script makes a model whose label tells what it was called with.
	const script = `[ $# = 2 ] || exit 3
case $1 in -*) exit 5;; esac
case $2 in *.aut) ;; *) exit 4;; esac
echo "some talk"
read -r first < "$1"
printf 'des (0, 1, 2)\n(0, "%s by %s", 1)\n' "$first" NAME > "$2"
`
	temporary := conversion(t, map[string]string{
		"bcg_io":     strings.ReplaceAll(script, "NAME", "bcg_io"),
		"ltsconvert": strings.ReplaceAll(script, "NAME", "ltsconvert"),
	})
	changeTo(t, t.TempDir())
	for path, want := range map[string]string{
		"m.bcg":  `0 of 2; 0 -"content of m.bcg by bcg_io"-> 1`,
		"m.BCG":  `0 of 2; 0 -"content of m.BCG by bcg_io"-> 1`,
		"m.lts":  `0 of 2; 0 -"content of m.lts by ltsconvert"-> 1`,
		"m.fsm":  `0 of 2; 0 -"content of m.fsm by ltsconvert"-> 1`,
		"-m.lts": `0 of 2; 0 -"content of -m.lts by ltsconvert"-> 1`,
	} {
		write(t, path, "content of "+path+"\n", 0o600)
		m, _, err := Open(context.Background(), path, Options{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if got := describe(m); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	expectEmpty(t, temporary)
}

// changeTo makes dir the current directory for the rest of the test.
func changeTo(t *testing.T, dir string) {
	t.Helper()
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chdir(before); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOpenTellsWhatToInstall(t *testing.T) {
	conversion(t, nil)
	dir := t.TempDir()
	for name, want := range map[string]string{
		"m.bcg": "CADP's BCG format is read by way of bcg_io, which is not on the PATH: install CADP (https://cadp.inria.fr), or convert the file where it is installed, with bcg_io PATH FILE.aut",
		"m.lts": "mCRL2's .lts format is read by way of ltsconvert, which is not on the PATH: install mCRL2 (https://mcrl2.org), or convert the file where it is installed, with ltsconvert PATH FILE.aut",
		"m.fsm": "mCRL2's .fsm format is read by way of ltsconvert, which is not on the PATH: install mCRL2 (https://mcrl2.org), or convert the file where it is installed, with ltsconvert PATH FILE.aut",
	} {
		path := write(t, filepath.Join(dir, name), "", 0o600)
		_, _, err := Open(context.Background(), path, Options{})
		if want := path + ": " + strings.ReplaceAll(want, "PATH FILE", path+" FILE"); err == nil || err.Error() != want {
			t.Errorf("\n got %v\nwant %s", err, want)
		}
	}
}

func TestOpenTellsOfFailedConversions(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"echo 'no licence' >&2\necho more\nexit 7\n", `bcg_io cannot convert it: exit status 7, "no licence"`},
		{"exit 1\n", "bcg_io cannot convert it: exit status 1"},
		{"exit 0\n", "bcg_io cannot convert it: it wrote no file"},
		{"echo nonsense > \"$2\"\n", `this is no .aut file: it begins with "nonsense", not with the header des (initial, transitions, states)`},
	} {
		temporary := conversion(t, map[string]string{"bcg_io": test.script})
		path := write(t, filepath.Join(t.TempDir(), "m.bcg"), "", 0o600)
		_, _, err := Open(context.Background(), path, Options{})
		if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.HasSuffix(err.Error(), ": "+test.want) {
			t.Errorf("\n got %v\nwant %s", err, test.want)
		}
		expectEmpty(t, temporary)
	}
}

func TestOpenStopsConversionsWithItsContext(t *testing.T) {
	temporary := conversion(t, map[string]string{"bcg_io": "exit 0\n"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := write(t, filepath.Join(t.TempDir(), "m.bcg"), "", 0o600)
	if _, _, err := Open(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	expectEmpty(t, temporary)
}

func expectEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s is left behind", e.Name())
	}
}
