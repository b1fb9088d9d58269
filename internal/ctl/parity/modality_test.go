package parity

import "testing"

func TestModalityOf(t *testing.T) {
	for text, want := range map[string]string{
		`<PUT> mu Y. (<GET> true || <true> Y)`: `<PUT>`,
		`[ {GET !1} ] (1 <= 0)`:                `[ {GET !1} ]`,
		`<"a > b">true`:                        `<"a > b">`,
		`[a[0]]X`:                              `[a[0]]`,
		`mu X. <a>X`:                           `mu X. <a>X`,
		`<a`:                                   `<a`,
		``:                                     ``,
	} {
		if got := modalityOf(text); got != want {
			t.Errorf("%q begins with %q, want %q", text, got, want)
		}
	}
}
