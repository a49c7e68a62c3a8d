package bind

import (
	"encoding/json"
	"reflect"
	"slices"
)

// Schema is the JSON schema of the options of a request for which may is true; nil is for all.
func (b Binder) Schema(request any, may func(*Option) bool) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, o := range b.Options(request) {
		if o.Name == "" || may != nil && !may(o) {
			continue
		}
		properties[o.Name] = o.schema()
		if o.Required {
			required = append(required, o.Name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		slices.Sort(required)
		out["required"] = required
	}
	return out
}

// schema describes an option.
func (o *Option) schema() map[string]any {
	out := schemaOf(o.Type)
	if o.Help != "" {
		out["description"] = o.Help
	}
	if values := o.values(); len(values) > 0 {
		if items, ok := out["items"].(map[string]any); ok {
			items["enum"] = values
		} else {
			out["enum"] = values
		}
	}
	for key, text := range map[string]string{"minimum": o.min, "maximum": o.max} {
		if text != "" {
			out[key] = json.Number(text)
		}
	}
	if o.Default != "" {
		v := reflect.New(o.Type)
		if SetText(v.Elem(), o.Default) == nil {
			out["default"] = v.Elem().Interface()
		}
	}
	return out
}

// schemas are those of the types of this package.
var schemas = map[reflect.Type]string{
	reflect.TypeFor[Horizon](): `{"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[0-9]+(\\.\\.[0-9]+)?$"},
		{"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 2}]}`,
	reflect.TypeFor[Duration](): `{"anyOf": [{"type": "string"}, {"type": "number", "minimum": 0}]}`,
	reflect.TypeFor[Size]():     `{"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]}`,
	reflect.TypeFor[Widths]():   `{"type": "array", "items": {"type": "integer", "minimum": 1}}`,
	reflect.TypeFor[Folder]():   `{"anyOf": [{"type": "boolean"}, {"type": "string"}]}`,
	reflect.TypeFor[Share]():    `{"anyOf": [{"type": "boolean"}, {"type": "string", "pattern": "^[0-9.]+ ?%$"}]}`,
	reflect.TypeFor[Settings](): settingsSchema,
	reflect.TypeFor[Given]():    settingsSchema,
	reflect.TypeFor[Lines]():    `{"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {"type": "number"}}]}`,
	reflect.TypeFor[Plan]():     `{"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}`,
	reflect.TypeFor[Policy]():   `{"anyOf": [{"type": "boolean"}, {"type": "object"}]}`,
}

const settingsSchema = `{"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "object"}]}`

// schemaOf describes the JSON of a type.
func schemaOf(t reflect.Type) map[string]any {
	if s, ok := schemas[t]; ok {
		var out map[string]any
		if err := json.Unmarshal([]byte(s), &out); err != nil {
			panic(err) // the table above is wrong
		}
		return out
	}
	if s, ok := reflect.Zero(t).Interface().(interface{ Schema() map[string]any }); ok {
		return s.Schema()
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return map[string]any{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	}
	return map[string]any{"type": "string"}
}
