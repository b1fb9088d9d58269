package draw

import (
	"testing"
)

func TestPlainText(t *testing.T) {
	got := plainText([]string{`a&b &amp; &#65; &#x41; &;`, `"\`})
	if want := "a&b &amp;amp; &amp;#65; &amp;#x41; &;\n\"\\"; got != want {
		t.Errorf("plainText is %q, want %q", got, want)
	}
}

func TestHTMLText(t *testing.T) {
	got := htmlText(`<b>\G&lt;"`)
	if want := `&lt;b&gt;\\G&amp;lt;&#34;`; got != want {
		t.Errorf("htmlText is %q, want %q", got, want)
	}
}
