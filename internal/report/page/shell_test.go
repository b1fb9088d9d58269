package page

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"pgregory.net/rapid"
)

func TestCommandLine(t *testing.T) {
	for want, words := range map[string][]string{
		`inev explain m.aut 'Inev(A, B)' --html x.html`: {"inev", "explain", "m.aut", "Inev(A, B)", "--html", "x.html"},
		`inev '' 'it'\''s' '$HOME' '~'`:                 {"inev", "", "it's", "$HOME", "~"},
		`inev $'a\012b' $'\342\200\256x'`:               {"inev", "a\nb", "\u202ex"},
	} {
		if got := commandLine(words); got != want {
			t.Errorf("%q gives %s, want %s", words, got, want)
		}
	}
}

// TestShellUnderstands gives command lines to a real shell.
func TestShellUnderstands(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to ask")
	}
	word := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune(" '\"\\$`!*?~#&;|<>()[]{}\n\t-=\u202e\u200bé"))))
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 5).Draw(t, "words")
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "\x00") }) {
			t.Skip("no argument holds a zero byte")
		}
		out, err := golden.Command(t, bash, "-c", `printf '%s\0' `+commandLine(words)).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, words) {
			t.Fatalf("%s is understood as %q, want %q", commandLine(words), got, words)
		}
	})
}
