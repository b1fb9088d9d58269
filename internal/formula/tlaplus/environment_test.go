package tlaplus

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnvironment: IOEnv is the environment of TLC where that is known, and else it is refused by its name.
func TestEnvironment(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "IOUtils.tla"),
		"---- MODULE IOUtils ----\nLOCAL INSTANCE TLC\nIOEnv == CHOOSE r \\in [STRING -> STRING] : TRUE\natoi(str) == CHOOSE n \\in Int : ToString(n) = str\n====\n")
	path := filepath.Join(folder, "Asked.tla")
	write(t, path, "---- MODULE Asked ----\nEXTENDS Integers, IOUtils\nN == atoi(IOEnv.N)\n====\n")
	evaluate := func(s *Specification, text string) (string, error) {
		p, err := s.Expression(text)
		if err != nil {
			return "", err
		}
		v, err := s.Evaluator(t.Context()).In(p, nil)
		return v.String(), err
	}

	s, err := LoadIn(context.Background(), path, "", nil, []string{"N=1", "OTHER=a=b", "N=2", "EMPTY=", "nothing"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`N`:                                    `2`,
		`IOEnv.OTHER`:                          `"a=b"`,
		`IOEnv.EMPTY`:                          `""`,
		`"MISSING" \in DOMAIN IOEnv`:           `FALSE`,
		`DOMAIN IOEnv = {"N","OTHER","EMPTY"}`: `TRUE`,
	} {
		got, err := evaluate(s, text)
		if err != nil || got != want {
			t.Errorf("%s is %s (error %v), want %s", text, got, err, want)
		}
	}

	s, err = Load(context.Background(), path, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = evaluate(s, "N")
	if err == nil || !strings.Contains(err.Error(), "IOEnv is what TLC reads from its environment") {
		t.Errorf("without an environment, the error is %v", err)
	}
}
