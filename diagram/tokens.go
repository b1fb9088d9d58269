package diagram

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// read returns the tokens of a picture by Graphviz. Cost O(length).
func read(drawn []byte) ([]xml.Token, error) {
	if all, is := scan(drawn); is {
		return all, nil
	}
	var all []xml.Token
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("diagram: what Graphviz drew cannot be read: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement, xml.EndElement:
			all = append(all, t)
		case xml.CharData:
			all = append(all, t.Copy())
		}
	}
}

// scanner does the work of [xml.Decoder.RawToken] in a fifth of the time. It reads only the XML
// that the embedded Graphviz writes.
type scanner struct {
	rest   string
	tokens []xml.Token
	// room is the storage of all attributes: each element has a slice of it.
	room  []xml.Attr
	begun bool // whether the last token began an element
}

// scan returns the elements of a picture and the texts in them, without the blanks between
// elements; false if it cannot read the picture.
func scan(drawn []byte) ([]xml.Token, bool) {
	s := scanner{rest: string(drawn)}
	if !utf8.ValidString(s.rest) || !isPlain(s.rest) {
		return nil, false
	}
	s.tokens = make([]xml.Token, 0, 2*strings.Count(s.rest, "<"))
	s.room = make([]xml.Attr, 0, strings.Count(s.rest, `="`))
	for s.rest != "" {
		at := strings.IndexByte(s.rest, '<')
		if at < 0 {
			at = len(s.rest)
		}
		text, ok := unescaped(s.rest[:at])
		if !ok {
			return nil, false
		}
		if text != "" && (s.begun || strings.Trim(text, " \n\t") != "") {
			s.tokens = append(s.tokens, xml.CharData(text))
		}
		s.begun = false
		if s.rest = s.rest[at:]; s.rest != "" && !s.markup() {
			return nil, false
		}
	}
	return s.tokens, true
}

// isPlain reports whether a text has only characters that XML allows, and no carriage return, which
// XML would convert.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' && text[i] != '\n' && text[i] != '\t' {
			return false
		}
	}
	return !strings.Contains(text, "\uFFFE") && !strings.Contains(text, "\uFFFF")
}

// unescaped returns a text with its entities replaced; false if an entity is not valid.
func unescaped(text string) (string, bool) {
	if strings.ContainsAny(text, "<>") {
		return "", false
	}
	before, rest, escaped := strings.Cut(text, "&")
	if !escaped {
		return text, true
	}
	var b strings.Builder
	for ; escaped; before, rest, escaped = strings.Cut(rest, "&") {
		b.WriteString(before)
		name, after, ended := strings.Cut(rest, ";")
		r := entities[name]
		if number, is := strings.CutPrefix(name, "#"); is {
			n, err := strconv.ParseUint(number, 10, 16)
			if r = rune(n); err != nil || r < ' ' || !utf8.ValidRune(r) || !isPlain(string(r)) {
				return "", false
			}
		}
		if !ended || r == 0 {
			return "", false
		}
		b.WriteRune(r)
		rest = after
	}
	b.WriteString(before)
	return b.String(), true
}

var entities = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// markup reads markup from its opening bracket on; false if it is not valid.
func (s *scanner) markup() bool {
	for _, part := range skipped {
		if after, is := strings.CutPrefix(s.rest, part.begin); is {
			inside, after, ended := strings.Cut(after, part.end)
			s.rest = after
			return ended && !strings.ContainsAny(inside, "[<'") && !strings.Contains(inside, "--") && strings.Count(inside, `"`)%2 == 0
		}
	}
	if after, is := strings.CutPrefix(s.rest, "</"); is {
		s.rest = after
		name, ok := s.name()
		s.tokens = append(s.tokens, xml.EndElement{Name: name})
		return ok && s.cut(">")
	}
	s.rest = s.rest[1:]
	name, ok := s.name()
	if !ok {
		return false
	}
	first := len(s.room)
	for s.blank() {
		if s.rest == "" || s.rest[0] == '/' || s.rest[0] == '>' {
			break
		}
		if !s.attribute() {
			return false
		}
	}
	s.tokens = append(s.tokens, xml.StartElement{Name: name, Attr: s.room[first:len(s.room):len(s.room)]})
	s.begun = !s.cut("/")
	if !s.begun {
		s.tokens = append(s.tokens, xml.EndElement{Name: name})
	}
	return s.cut(">")
}

// skipped lists the beginnings and ends of markup that adds nothing to the picture.
var skipped = []struct{ begin, end string }{
	{`<?xml version="1.0" encoding="UTF-8" standalone="no"`, "?>"}, {"<!DOCTYPE ", ">"}, {"<!--", "-->"},
}

// attribute reads an attribute.
func (s *scanner) attribute() bool {
	name, ok := s.name()
	if !ok || !s.cut(`="`) {
		return false
	}
	value, after, ended := strings.Cut(s.rest, `"`)
	s.rest = after
	value, ok = unescaped(value)
	s.room = append(s.room, xml.Attr{Name: name, Value: value})
	return ok && ended
}

// blank skips blanks; false if there were none.
func (s *scanner) blank() bool {
	rest := strings.TrimLeft(s.rest, " \n\t")
	is := len(rest) < len(s.rest)
	s.rest = rest
	return is
}

// cut skips a prefix; false if the text does not begin with it.
func (s *scanner) cut(begin string) (is bool) {
	s.rest, is = strings.CutPrefix(s.rest, begin)
	return is
}

// name reads the name of an element or attribute.
func (s *scanner) name() (n xml.Name, ok bool) {
	at := 0
	for at < len(s.rest) && isInName(s.rest[at]) {
		at++
	}
	n.Local, s.rest = s.rest[:at], s.rest[at:]
	if space, local, is := strings.Cut(n.Local, ":"); is {
		n.Space, n.Local = space, local
		ok = space != "" && isLetter(space[0])
	} else {
		ok = true
	}
	return n, ok && n.Local != "" && isLetter(n.Local[0]) && !strings.Contains(n.Local, ":")
}

func isInName(c byte) bool {
	return isLetter(c) || c == ':' || c == '-' || '0' <= c && c <= '9'
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
