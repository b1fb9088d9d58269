package network

import (
	"fmt"
	"strings"
)

// Language is a reference language of a network.
type Language string

// The reference languages.
const (
	NoLanguage Language = ""
	LOTOS      Language = "lotos"
	ELOTOS     Language = "elotos"
	CCS        Language = "ccs"
	CSP        Language = "csp"
	MCRL       Language = "mcrl"
)

// languages are all reference languages.
var languages = []Language{LOTOS, ELOTOS, CCS, CSP, MCRL}

// Settings are the options of CADP's tools about the reference language; "" and nil mean that the
// network itself decides.
type Settings struct {
	Language            Language
	Hidden, Termination string
	CoAction            string
	// CaseSensitive keeps the case of labels in operators, whatever the language.
	CaseSensitive bool
	// NoCheck leaves out warnings.
	NoCheck bool
}

// ReadOptions reads options as exp.open takes them: -lotos, -hidden STRING and so on. It
// ignores those that do not change the model (-strong, -silent, -verbose). It fails for all
// other options, for a second language, or if the text after an option is missing; the
// error names the option.
func ReadOptions(words []string) (s Settings, err error) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		value := func() (string, error) {
			i++
			if i == len(words) {
				return "", fmt.Errorf("%s needs a text behind it", word)
			}
			return words[i], nil
		}
		switch word {
		case "-lotos", "-elotos", "-ccs", "-csp", "-mcrl":
			if s.Language != NoLanguage {
				return s, fmt.Errorf("%s: the language is -%s already; leave one of them out",
					word, s.Language)
			}
			s.Language = Language(word[1:])
		case "-case":
			s.CaseSensitive = true
		case "-nocheck":
			s.NoCheck = true
		case "-hidden":
			s.Hidden, err = value()
		case "-termination":
			s.Termination, err = value()
		case "-coaction":
			s.CoAction, err = value()
		case "-strong", "-silent", "-verbose":
		case "-branching", "-deadpreserving", "-weaktrace", "-ratebranching":
			err = fmt.Errorf("%s leaves states out, which inev does not; leave the option out, or let CADP make the model", word)
		default:
			err = fmt.Errorf("%s is no option of networks; the options are -lotos, -elotos, -ccs, -csp, -mcrl, -case, -nocheck, -hidden STRING, -termination STRING and -coaction STRING", word)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// parameters are those of the reference language.
type parameters struct {
	Settings
	// terminationGate is the gate of termination; "" if the language has none.
	terminationGate string
	// upperCase reports that labels in operators are turned to upper case.
	upperCase bool
}

// parametersOf returns the parameters that follow from what the network and the options say.
func parametersOf(language Language, s Settings) parameters {
	if s.Language == NoLanguage {
		s.Language = language
	}
	p := parameters{Settings: s, terminationGate: "exit"}
	hidden := "i"
	switch s.Language {
	case LOTOS:
		p.upperCase = true
	case CCS:
		hidden = "t"
		p.terminationGate = ""
		p.upperCase = true
	case CSP:
		hidden = "t"
		p.terminationGate = "delta"
		p.upperCase = true
	case MCRL:
		hidden = "tau"
		p.terminationGate = ""
	}
	if p.Hidden == "" {
		p.Hidden = hidden
	}
	if p.Termination != "" {
		p.terminationGate = p.Termination
	}
	if p.CoAction == "" {
		p.CoAction = "'"
	}
	p.upperCase = p.upperCase && !p.CaseSensitive
	return p
}

// label returns the label of the model that a label in an operator means: in upper case if the
// language demands it.
func (p *parameters) label(text string) string {
	if !p.upperCase || text == p.Hidden || text == p.terminationGate {
		return text
	}
	return strings.ToUpper(text)
}
