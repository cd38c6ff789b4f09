package engine

import "context"

// desktopEnv is what the programs that a step starts need to reach the desktop
// that steps use: nothing before a step has opened one, or when it is lost.
func (e *Engine) desktopEnv(ctx context.Context) []string {
	d := e.opened.Load()
	if d == nil {
		return nil
	}
	info, err := d.Info(ctx)
	if err != nil {
		return nil
	}
	return info.Env
}
