package expression

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"time"
)

// plain makes a value one that JSON knows. What is so already stays as it is.
func (e *evaluation) plain(v any) (any, error) {
	if err := e.charge(1); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil, bool, string:
		return v, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errNotANumber
		}
		return v, nil
	case []any:
		if err := e.enter(); err != nil {
			return nil, err
		}
		defer e.leave()
		return e.plainList(v)
	case map[string]any:
		if err := e.enter(); err != nil {
			return nil, err
		}
		defer e.leave()
		return e.plainObject(v)
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	case fmt.Stringer:
		return v.String(), nil
	case []byte:
		return string(v), nil
	}
	if f, ok := plainNumber(v); ok {
		return f, nil
	}
	return e.plainOther(reflect.ValueOf(v))
}

// plainList copies a list only when an element has to change.
func (e *evaluation) plainList(list []any) (any, error) {
	if list == nil {
		return nil, nil
	}
	var made []any
	for i, v := range list {
		p, err := e.plain(v)
		if err != nil {
			return nil, err
		}
		if made == nil && !sameValue(p, v) {
			made = append(make([]any, 0, len(list)), list[:i]...)
		}
		if made != nil {
			made = append(made, p)
		}
	}
	if made != nil {
		return made, nil
	}
	return list, nil
}

func (e *evaluation) plainObject(object map[string]any) (any, error) {
	if object == nil {
		return nil, nil
	}
	changed := map[string]any(nil)
	for k, v := range object {
		p, err := e.plain(v)
		if err != nil {
			return nil, err
		}
		if !sameValue(p, v) {
			if changed == nil {
				changed = map[string]any{}
			}
			changed[k] = p
		}
	}
	if changed == nil {
		return object, nil
	}
	for k, v := range object {
		if _, ok := changed[k]; !ok {
			changed[k] = v
		}
	}
	return changed, nil
}

// sameValue says whether plain gave back what it got.
func sameValue(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if !x.IsValid() || !y.IsValid() {
		return x.IsValid() == y.IsValid()
	}
	if x.Type() != y.Type() {
		return false
	}
	switch x.Kind() {
	case reflect.Slice, reflect.Map:
		return x.Pointer() == y.Pointer() && x.Len() == y.Len()
	}
	return true
}

// plainOther turns lists and objects of other types into plain ones.
func (e *evaluation) plainOther(r reflect.Value) (any, error) {
	switch r.Kind() {
	case reflect.Slice:
		list := make([]any, r.Len())
		for i := range list {
			list[i] = r.Index(i).Interface()
		}
		return e.plainList(list)
	case reflect.Map:
		object := make(map[string]any, r.Len())
		for it := r.MapRange(); it.Next(); {
			object[fmt.Sprint(it.Key().Interface())] = it.Value().Interface()
		}
		return e.plainObject(object)
	}
	return nil, fmt.Errorf("its value, %s, cannot be written down", kindOf(r.Interface()))
}

// written is a plain value as it appears inside a string.
func written(v any) (string, error) {
	if s, ok := textOf(v); ok {
		return s, nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
