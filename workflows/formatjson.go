package workflows

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"understudy/internal/words"
)

func formatJSON(v *value) []byte {
	t := reflect.TypeFor[document]()
	if v.get("tool_name") != nil {
		t = reflect.TypeFor[call]()
	}
	arrange(v, t)
	var raw bytes.Buffer
	writeJSON(&raw, v)
	var b bytes.Buffer
	if err := json.Indent(&b, raw.Bytes(), "", "  "); err != nil {
		panic(err) // writeJSON is at fault
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// arrange is order for values.
func arrange(v *value, t reflect.Type) {
	switch {
	case t.Kind() == reflect.Pointer:
		arrange(v, t.Elem())
	case t.Kind() == reflect.Slice:
		for _, x := range v.list {
			arrange(x, t.Elem())
		}
	case declared[t] != nil:
		keys := declared[t]
		rank := func(e entry) int {
			i := slices.IndexFunc(keys, func(k *key) bool { return k.name == e.key.text })
			if i < 0 {
				return len(keys)
			}
			arrange(e.value, t.Field(keys[i].index).Type)
			return i
		}
		slices.SortStableFunc(v.entries, func(a, b entry) int { return rank(a) - rank(b) })
	default:
		if d, ok := reflect.New(t).Interface().(interface{ element() reflect.Type }); ok {
			for _, e := range v.entries {
				arrange(e.value, d.element())
			}
		}
	}
}

func writeJSON(b *bytes.Buffer, v *value) {
	list := func(open, end byte, n int, item func(int)) {
		b.WriteByte(open)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			item(i)
		}
		b.WriteByte(end)
	}
	switch v.sort {
	case sortList:
		list('[', ']', len(v.list), func(i int) { writeJSON(b, v.list[i]) })
	case sortObject:
		list('{', '}', len(v.entries), func(i int) {
			writeJSON(b, v.entries[i].key)
			b.WriteByte(':')
			writeJSON(b, v.entries[i].value)
		})
	case sortNumber:
		b.WriteString(v.text)
	default:
		text, _ := words.JSON(v.plain(), "") // texts and booleans can always be written
		b.WriteString(text)
	}
}
