package editor

import (
	"encoding/json"
	"math"

	"github.com/sourcegraph/jsonrpc2"
)

// count is a number in a message of the client. A number that is too small or too large for LSP
// becomes the nearest one in its range: if the server left out the edit, its text would differ from
// the client's.
type count int

// UnmarshalJSON implements [json.Unmarshaler].
func (c *count) UnmarshalJSON(text []byte) error {
	var n float64
	if err := json.Unmarshal(text, &n); err != nil {
		// A number too large for float64 is a number, too.
		var number json.Number
		if wrong := json.Unmarshal(text, &number); wrong != nil {
			return err
		}
		n = math.MaxInt32
		if text[0] == '-' {
			n = math.MinInt32
		}
	}
	*c = count(min(max(n, math.MinInt32), math.MaxInt32))
	return nil
}

// UnmarshalJSON implements [json.Unmarshaler]. A position before the text means its beginning.
func (p *position) UnmarshalJSON(text []byte) error {
	var read struct {
		Line      count `json:"line"`
		Character count `json:"character"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*p = position{max(0, int(read.Line)), max(0, int(read.Character))}
	if read.Line < 0 {
		p.Character = 0
	}
	return nil
}

// The messages of LSP 3.17 that the server reads and writes, with the members that it uses.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"` // in UTF-16 code units
	}
	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	documentID struct {
		URI     string `json:"uri"`
		Version count  `json:"version,omitempty"`
	}
	openParams struct {
		TextDocument struct {
			URI        string `json:"uri"`
			LanguageID string `json:"languageId"`
			Version    count  `json:"version"`
			Text       string `json:"text"`
		} `json:"textDocument"`
	}
	changeParams struct {
		TextDocument   documentID `json:"textDocument"`
		ContentChanges []change   `json:"contentChanges"`
	}
	change struct {
		Range *span  `json:"range,omitempty"` // nil: the whole text
		Text  string `json:"text"`
	}
	documentParams struct {
		TextDocument documentID `json:"textDocument"`
	}
	positionParams struct {
		TextDocument documentID `json:"textDocument"`
		Position     position   `json:"position"`
	}
	renameParams struct {
		positionParams
		NewName string `json:"newName"`
	}
	documentLink struct {
		Range  span   `json:"range"`
		Target string `json:"target"`
	}
	documentHighlight struct {
		Range span `json:"range"`
	}
	initializeParams struct {
		RootURI          string `json:"rootUri"`
		WorkspaceFolders []struct {
			URI string `json:"uri"`
		} `json:"workspaceFolders"`
		Capabilities struct {
			TextDocument struct {
				// Diagnostic is there if the client asks for the mistakes of a text.
				Diagnostic *struct{} `json:"diagnostic"`
			} `json:"textDocument"`
			Workspace struct {
				Diagnostics struct {
					RefreshSupport bool `json:"refreshSupport"`
				} `json:"diagnostics"`
				CodeLens struct {
					RefreshSupport bool `json:"refreshSupport"`
				} `json:"codeLens"`
				DidChangeWatchedFiles struct {
					DynamicRegistration bool `json:"dynamicRegistration"`
				} `json:"didChangeWatchedFiles"`
			} `json:"workspace"`
			Window struct {
				ShowDocument struct {
					Support bool `json:"support"`
				} `json:"showDocument"`
			} `json:"window"`
		} `json:"capabilities"`
		Options initializationOptions `json:"initializationOptions"`
	}
	// initializationOptions are the options that the extension for VS Code sends.
	initializationOptions struct {
		// Shows reports that the client itself carries out inev.explain, and accepts inev/verdicts.
		Shows bool `json:"shows"`
		// Trusted allows other programs to make models of specifications.
		Trusted bool `json:"trusted"`
	}
	diagnostic struct {
		Range              span            `json:"range"`
		Severity           int             `json:"severity"`
		Code               string          `json:"code,omitempty"`
		Source             string          `json:"source"`
		Message            string          `json:"message"`
		RelatedInformation []related       `json:"relatedInformation,omitempty"`
		Data               *diagnosticData `json:"data,omitempty"`
	}
	// diagnosticData is the data of a diagnostic that a code action needs.
	diagnosticData struct {
		Replacements []string `json:"replacements,omitempty"` // texts that may replace the range
		Assumption   string   `json:"assumption,omitempty"`   // assumptions that would make the property hold
	}
	related struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	publishParams struct {
		URI         string       `json:"uri"`
		Version     int          `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	// diagnosticReport answers a client that asks for the mistakes of a text.
	diagnosticReport struct {
		Kind  string       `json:"kind"`
		Items []diagnostic `json:"items"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup `json:"contents"`
		Range    span   `json:"range"`
	}
	edit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	completionItem struct {
		Label         string  `json:"label"`
		Kind          int     `json:"kind"`
		Detail        string  `json:"detail,omitempty"`
		Documentation *markup `json:"documentation,omitempty"`
		SortText      string  `json:"sortText,omitempty"`
		FilterText    string  `json:"filterText,omitempty"`
		Format        int     `json:"insertTextFormat,omitempty"`
		TextEdit      *edit   `json:"textEdit,omitempty"`
	}
	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}
	command struct {
		Title     string `json:"title"`
		Command   string `json:"command"`
		Arguments []any  `json:"arguments,omitempty"`
	}
	codeLens struct {
		Range   span    `json:"range"`
		Command command `json:"command"`
	}
	codeActionParams struct {
		TextDocument documentID `json:"textDocument"`
		Range        span       `json:"range"`
		Context      struct {
			Diagnostics []diagnostic `json:"diagnostics"`
		} `json:"context"`
	}
	codeAction struct {
		Title       string         `json:"title"`
		Kind        string         `json:"kind"`
		Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
		IsPreferred bool           `json:"isPreferred,omitempty"`
		Edit        *workspaceEdit `json:"edit"`
	}
	workspaceEdit struct {
		Changes map[string][]edit `json:"changes"`
	}
	documentSymbol struct {
		Name           string `json:"name"`
		Detail         string `json:"detail,omitempty"`
		Kind           int    `json:"kind"`
		Range          span   `json:"range"`
		SelectionRange span   `json:"selectionRange"`
	}
	signatureHelp struct {
		Signatures      []signature `json:"signatures"`
		ActiveSignature int         `json:"activeSignature"`
		ActiveParameter int         `json:"activeParameter"`
	}
	signature struct {
		Label         string      `json:"label"`
		Documentation markup      `json:"documentation"`
		Parameters    []parameter `json:"parameters"`
	}
	parameter struct {
		Label [2]int `json:"label"`
	}
	executeParams struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	cancelParams struct {
		ID jsonrpc2.ID `json:"id"`
	}
)

// Numbers of the protocol.
const (
	severityError       = 1
	severityWarning     = 2
	severityInformation = 3

	kindFunction   = 3
	kindField      = 5
	kindVariable   = 6
	kindValue      = 12
	kindKeyword    = 14
	kindSnippet    = 15
	kindFile       = 17
	kindEnumMember = 20

	symbolEvent = 24

	formatSnippet = 2

	codeNotInitialized = -32002
	codeCanceled       = -32800
	codeContentChanged = -32801
	codeFailed         = -32803
)
