package diagram

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rawTokens returns what a decoder of XML says of a picture, as far as scan does.
func rawTokens(drawn string) (all []xml.Token, err error) {
	d := xml.NewDecoder(strings.NewReader(drawn))
	begun := false
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		starts := false
		switch t := token.(type) {
		case xml.StartElement:
			if t.Attr == nil {
				t.Attr = []xml.Attr{}
			}
			starts = true
			all = append(all, t.Copy())
		case xml.EndElement:
			all = append(all, t)
		case xml.CharData:
			if begun || strings.Trim(string(t), " \n\t") != "" {
				all = append(all, t.Copy())
			}
		}
		begun = starts
	}
}

func scanned(drawn string) ([]xml.Token, bool) {
	all, is := scan([]byte(drawn))
	for i, token := range all {
		if t, is := token.(xml.StartElement); is && t.Attr == nil {
			t.Attr = []xml.Attr{}
			all[i] = t
		}
	}
	return all, is
}

// TestScan: what Graphviz draws is read as a decoder of XML reads it.
func TestScan(t *testing.T) {
	files, err := filepath.Glob("testdata/*.dot")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		graph, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := inside.Render(context.Background(), string(graph), "svg", "")
		if err != nil {
			t.Fatal(err)
		}
		want, err := rawTokens(string(drawn))
		if err != nil {
			t.Fatal(err)
		}
		if got, is := scanned(string(drawn)); !is || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, read as\n%v, want\n%v", file, is, got, want)
		}
	}
}

// TestScanIsStrict: what would not be read as a decoder of XML reads it is left to that.
func TestScanIsStrict(t *testing.T) {
	pieces := strings.Split("<?xml |version=\"1.0\"|encoding=\"UTF-8\"|?>|<!DOCTYPE | svg|<!--|--|-->|<g|<text|<a|>| x=\"| xlink:title=|=\"|\"|'|/>|</g>|</text>|</|/|:|x| |\n|\t|\r|&|&amp;|&lt;|&quot;|&#45;|&#x2d;|&#0;|&#13;|&#65535;|&#55296;|&copy;|;|é|\x00|\x1f|\xff|\uFFFE|\uFFFD|<![CDATA[|]]>|[|<|-|1|.", "|")
	whole := strings.Split("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"|?>\n|<!DOCTYPE |<!DOCTYPE svg>\n|<!-- n1 -->\n|<g id=\"a&amp;b\" class=\"c d\">|<text x=\"1\"> |a &lt;&#160;&gt; b|</text>|<a xlink:title=\"t\">|</a>|<path d=\"M1,2\"/>|\n|</g>", "|")
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.SampledFrom(whole), rapid.SampledFrom(whole), rapid.SampledFrom(whole), rapid.SampledFrom(pieces))
		drawn := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		got, is := scanned(drawn)
		if !is {
			return
		}
		accepted++
		want, err := rawTokens(drawn)
		if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is read as %v, want %v (%v)", drawn, got, want, err)
		}
	})
	if accepted == 0 {
		t.Error("nothing is read")
	}
}
