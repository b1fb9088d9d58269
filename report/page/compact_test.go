package page

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func compacted(t interface{ Fatal(...any) }, text []byte, piece int) string {
	var out bytes.Buffer
	c := newCompactJSON(&out)
	for len(text) > 0 {
		n := min(piece, len(text))
		if _, err := c.Write(text[:n]); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := c.flush(); err != nil {
		t.Fatal(err)
	}
	if c.written != int64(out.Len()) {
		t.Fatal("counted", c.written, "bytes of", out.Len())
	}
	return out.String()
}

func TestCompactJSON(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"{\n  \"a b\": [1, 2]\r\n}\n": `{"a b":[1,2]}`,
		`["</script><!-- &"]`:         `["\u003c/script\u003e\u003c!-- \u0026"]`,
		`["a\"  b", "c\\" , "d"]`:     `["a\"  b","c\\","d"]`,
	} {
		for _, piece := range []int{1, 2, 1 << 20} {
			if got := compacted(t, []byte(text), piece); got != want {
				t.Errorf("%q gives %q, want %q", text, got, want)
			}
		}
	}
}

// TestCompactJSONKeepsValues holds the writer against encoding/json.
func TestCompactJSONKeepsValues(t *testing.T) {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"</script>", "<!--", "\u2028", "\u2029", `\`, `"`, "&lt;"}))
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{}
		for range rapid.IntRange(0, 5).Draw(t, "fields") {
			list := []any{}
			for range rapid.IntRange(0, 4).Draw(t, "texts") {
				list = append(list, strings.Join(rapid.SliceOf(piece).Draw(t, "text"), ""))
			}
			value[piece.Draw(t, "name")] = list
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(value); err != nil {
			t.Fatal(err)
		}
		got := compacted(t, text.Bytes(), rapid.IntRange(1, 50).Draw(t, "piece"))
		if strings.ContainsAny(got, "<>&\u2028\u2029") {
			t.Fatal("something is left in", got)
		}
		var back map[string]any
		if err := json.Unmarshal([]byte(got), &back); err != nil || !reflect.DeepEqual(back, value) {
			t.Fatalf("%s is %v (%v), want %v", got, back, err, value)
		}
	})
}

func TestCompactJSONReturnsErrors(t *testing.T) {
	failing := newCompactJSON(failingWriter{})
	_, err := failing.Write(bytes.Repeat([]byte(`"<"`), 1<<16))
	if err == nil {
		t.Error("no error")
	}
}
