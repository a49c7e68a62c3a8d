package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/packed"
)

// openAPI is the part of an OpenAPI document that the tests read.
type openAPI struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas   map[string]map[string]any `json:"schemas"`
		Responses map[string]response       `json:"responses"`
	} `json:"components"`
}

type operation struct {
	ID          string           `json:"operationId"`
	Security    *[]any           `json:"security"`
	Parameters  []map[string]any `json:"parameters"`
	RequestBody *struct {
		Content map[string]struct {
			Schema map[string]any `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]response `json:"responses"`
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema map[string]any `json:"schema"`
	} `json:"content"`
}

// api returns the description of the interface.
func api(t testing.TB) *openAPI {
	t.Helper()
	a := new(openAPI)
	if err := json.Unmarshal(description, a); err != nil {
		t.Fatal(err)
	}
	return a
}

// resolve follows a reference to a response.
func (a *openAPI) resolve(r response) response {
	if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
		return a.Components.Responses[name]
	}
	return r
}

// keywords are those of JSON Schema that the description uses; others are errors, so that none
// is ignored.
var keywords = []string{"$ref", "type", "properties", "required", "additionalProperties", "items", "prefixItems", "minItems", "maxItems", "enum", "const", "anyOf",
	"minimum", "maximum", "pattern", "maxLength", "description", "format", "default"}

// validate returns what is wrong with a value by a schema; "" for nothing.
func (a *openAPI) validate(schema map[string]any, v any, at string) string {
	for k := range schema {
		if !slices.Contains(keywords, k) {
			return at + ": the schema has the unknown keyword " + k
		}
	}
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		s, ok := a.Components.Schemas[name]
		if !ok {
			return at + ": there is no schema " + ref
		}
		return a.validate(s, v, at)
	}
	if choices, ok := schema["anyOf"].([]any); ok {
		var why []string
		for _, s := range choices {
			w := a.validate(s.(map[string]any), v, at)
			if w == "" {
				return ""
			}
			why = append(why, w)
		}
		return at + ": none of: " + strings.Join(why, "; ")
	}
	if types, ok := schema["type"]; ok && !hasType(types, v) {
		return fmt.Sprintf("%s: %.80v is no %v", at, v, types)
	}
	if c, ok := schema["const"]; ok && c != v {
		return fmt.Sprintf("%s: %v, expected %v", at, v, c)
	}
	if e, ok := schema["enum"].([]any); ok && !slices.Contains(e, v) {
		return fmt.Sprintf("%s: %v is none of %v", at, v, e)
	}
	switch x := v.(type) {
	case map[string]any:
		return a.validateObject(schema, x, at)
	case []any:
		return a.validateArray(schema, x, at)
	case float64:
		if m, ok := schema["minimum"].(float64); ok && x < m {
			return fmt.Sprintf("%s: %v is below %v", at, x, m)
		}
		if m, ok := schema["maximum"].(float64); ok && x > m {
			return fmt.Sprintf("%s: %v is above %v", at, x, m)
		}
	case string:
		if p, ok := schema["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(x) {
			return fmt.Sprintf("%s: %q does not match %s", at, x, p)
		}
		if m, ok := schema["maxLength"].(float64); ok && float64(len([]rune(x))) > m {
			return fmt.Sprintf("%s: %d characters, at most %v", at, len([]rune(x)), m)
		}
	}
	return ""
}

// validateObject checks the members of an object.
func (a *openAPI) validateObject(schema map[string]any, x map[string]any, at string) string {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := x[name.(string)]; !ok {
			return fmt.Sprintf("%s: %v is missing", at, name)
		}
	}
	for name, v := range x {
		s, ok := properties[name].(map[string]any)
		if !ok {
			switch extra := schema["additionalProperties"].(type) {
			case bool:
				if !extra {
					return fmt.Sprintf("%s: %s is not described", at, name)
				}
			case map[string]any:
				s = extra
			}
		}
		if s != nil {
			if why := a.validate(s, v, at+"."+name); why != "" {
				return why
			}
		}
	}
	return ""
}

// validateArray checks the items of an array.
func (a *openAPI) validateArray(schema map[string]any, x []any, at string) string {
	if n, ok := schema["minItems"].(float64); ok && float64(len(x)) < n {
		return fmt.Sprintf("%s: %d items, at least %v", at, len(x), n)
	}
	if n, ok := schema["maxItems"].(float64); ok && float64(len(x)) > n {
		return fmt.Sprintf("%s: %d items, at most %v", at, len(x), n)
	}
	first, _ := schema["prefixItems"].([]any)
	items, _ := schema["items"].(map[string]any)
	for i, v := range x {
		s := items
		if i < len(first) {
			s = first[i].(map[string]any)
		}
		if s == nil {
			continue
		}
		if why := a.validate(s, v, fmt.Sprintf("%s[%d]", at, i)); why != "" {
			return why
		}
	}
	return ""
}

// hasType reports whether a value has one of the types.
func hasType(types, v any) bool {
	if list, ok := types.([]any); ok {
		return slices.ContainsFunc(list, func(t any) bool { return hasType(t, v) })
	}
	switch x := v.(type) {
	case nil:
		return types == "null"
	case bool:
		return types == "boolean"
	case string:
		return types == "string"
	case float64:
		return types == "number" || types == "integer" && x == math.Trunc(x)
	case []any:
		return types == "array"
	}
	return types == "object"
}

// TestValidate checks that the validator of these tests refuses what it should.
func TestValidate(t *testing.T) {
	a := api(t)
	for _, c := range []struct{ schema, value, why string }{
		{`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`, `{"a":1}`, ""},
		{`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{}`, "a is missing"},
		{`{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`, `{"b":1}`, "not described"},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"b":1}`, "is no string"},
		{`{"type":["integer","null"]}`, `null`, ""},
		{`{"type":["integer","null"]}`, `1.5`, "is no"},
		{`{"type":"array","items":{"enum":["x"]}}`, `["x","y"]`, "none of"},
		{`{"prefixItems":[{"type":"integer"}],"maxItems":1}`, `[1,2]`, "at most 1"},
		{`{"anyOf":[{"const":1},{"type":"string","pattern":"^a"}]}`, `"b"`, "does not match"},
		{`{"$ref":"#/components/schemas/Error"}`, `{"file":"x"}`, "error is missing"},
		{`{"oneOf":[]}`, `1`, "unknown keyword"},
		{`{"minimum":1}`, `0`, "below"},
	} {
		var schema map[string]any
		var value any
		if err := json.Unmarshal([]byte(c.schema), &schema); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(c.value), &value); err != nil {
			t.Fatal(err)
		}
		if why := a.validate(schema, value, "value"); c.why == "" && why != "" || !strings.Contains(why, c.why) {
			t.Errorf("%s of %s: %q, expected %q", c.schema, c.value, why, c.why)
		}
	}
}

// TestPackedIsGenerated holds what is served to openapi.json, after the tests that write it.
func TestPackedIsGenerated(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err == nil {
			_, err = z.Write(text)
		}
		if err == nil {
			err = z.Close()
		}
		if err == nil {
			err = os.WriteFile("openapi.json.gz", b.Bytes(), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(packed.File(compressed), text) {
		t.Error("openapi.json.gz is not openapi.json; go generate ./internal/serve writes it")
	}
}
