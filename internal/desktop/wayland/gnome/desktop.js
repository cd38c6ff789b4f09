// What GNOME tells nobody else: where windows and the pointer are, and what the
// screen shows, and, while a person is recorded, what he does with mouse and keyboard.
// Understudy installs this with "understudy setup gnome". To act is none of its
// business, but for text that no layout has: that goes by GNOME's own interface for
// remote desktops, which shows its sign in the top bar.
//
// The methods are called on the bus of the session, at the program that is the
// shell. Who calls has to know a token first, which is in a file that only the
// person's own programs can read.
// What differs between versions stands in the file before this one.

const PATH = '/org/understudy/Desktop';
const INTERFACE = `<node><interface name="org.understudy.Desktop1">
<method name="Open"><arg type="s" direction="in"/><arg type="u" direction="out"/></method>
<method name="State"><arg type="s" direction="out"/></method>
<method name="At"><arg type="i" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/></method>
<method name="Settle"><arg type="b" direction="in"/><arg type="b" direction="in"/><arg type="i" direction="out"/><arg type="i" direction="out"/></method>
<method name="Manage"><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="(iiii)" direction="in"/></method>
<method name="Picture"><arg type="(iiii)" direction="in"/><arg type="ay" direction="out"/></method>
<method name="Plain"><arg type="b" direction="out"/></method>
<method name="Commit"><arg type="s" direction="in"/><arg type="b" direction="out"/></method>
<method name="Kinds"><arg type="as" direction="out"/></method>
<method name="Lay"><arg type="(iiii)" direction="in"/><arg type="ay" direction="in"/><arg type="b" direction="in"/><arg type="u" direction="out"/></method>
<method name="Remove"><arg type="u" direction="in"/></method>
<method name="Watch"><arg type="b" direction="out"/></method>
<signal name="Pointer"><arg type="x"/><arg type="i"/><arg type="i"/><arg type="u"/></signal>
<signal name="Key"><arg type="x"/><arg type="b"/><arg type="u"/><arg type="u"/></signal>
<signal name="Ended"/>
</interface></node>`;
const NAME = 'org.understudy.Desktop1';
const RESULTS = {State: '(s)', At: '(u)', Settle: '(ii)', Plain: '(b)', Commit: '(b)', Kinds: '(as)'};
const VERSION = 1;

const TOKEN = GLib.build_filenamev([GLib.get_user_runtime_dir(), 'understudy-gnome']);

// A key that no keyboard has, as the kernel and as keymaps count it. It is pressed
// after other input, and the shell tells when it comes to it.
const LAST_KEY = 240;
const LAST_KEY_IN_KEYMAPS = '0xf8';

// How long a key may take to come, in milliseconds: none does while something in the
// shell has all keys.
const SETTLE_WITHIN = 500;

// How long what the pointer does takes to be handled, in milliseconds.
const POINTER_WITHIN = 20;

// How often the pointer is looked at while somebody watches it, in milliseconds: nothing
// tells of a press in a window. A press of a person is several times as long.
const LOOK_EVERY = 10;
const BUTTONS = 0x1f00;

// The interface of GNOME 48 for programs that help people with disabilities.
const KEYS = 'org.freedesktop.a11y.KeyboardMonitor';
const KEYS_PATH = '/org/freedesktop/a11y/Manager';

const POPUPS = [
    Meta.WindowType.DROPDOWN_MENU, Meta.WindowType.POPUP_MENU, Meta.WindowType.COMBO,
    Meta.WindowType.MENU, Meta.WindowType.DND, Meta.WindowType.OVERRIDE_OTHER,
    Meta.WindowType.NOTIFICATION,
];

// unit is how many of the shell's own pixels a point is, in which programs count.
const unit = () => St.ThemeContext.get_for_stage(global.stage).scale_factor;
const rect = r => [r.x, r.y, r.width, r.height].map(v => Math.round(v / unit()));

// restacked waits until windows are drawn, and pressed, in the order that they have been
// put into.
function restacked() {
    return new Promise(done => {
        const then = () => {
            done();
            return GLib.SOURCE_REMOVE;
        };
        const laters = global.compositor?.get_laters?.(); // since GNOME 44
        if (laters)
            laters.add(Meta.LaterType.BEFORE_REDRAW, then);
        else
            Meta.later_add(Meta.LaterType.BEFORE_REDRAW, then);
    });
}

// image is a picture as an actor shows it.
function image(bytes, width, height) {
    const before48 = Clutter.Image !== undefined;
    const content = before48 ? new Clutter.Image() : St.ImageContent.new_with_preferred_size(width, height);
    const args = before48 ? [] : [global.stage.context.get_backend().get_cogl_context()];
    content.set_bytes(...args, bytes, Cogl.PixelFormat.RGBA_8888_PRE, width, height, 4 * width);
    return content;
}

// watchKeys has the shell tell this extension, which is a part of it, of all keys, or
// ends that. It is told by the bus, and only who is Orca may ask: that is lifted for the
// moment of asking. False is that it tells nobody, as before GNOME 48.
async function watchKeys(watch) {
    const control = global.context.get_debug_control?.();
    if (control?.a11y_manager_without_access_control !== false)
        return false;
    const bus = Gio.DBus.session;
    control.a11y_manager_without_access_control = true;
    try {
        await new Promise((done, fail) => bus.call(
            bus.get_unique_name(), KEYS_PATH, KEYS, watch ? 'WatchKeyboard' : 'UnwatchKeyboard', null, null,
            Gio.DBusCallFlags.NONE, 1000, null, (_, result) => {
                try {
                    done(bus.call_finish(result));
                } catch (e) {
                    fail(e);
                }
            }));
        return true;
    } catch {
        return false;
    } finally {
        control.a11y_manager_without_access_control = false;
    }
}

// Watches tell those who watch what a person does with mouse and keyboard.
class Watches {
    constructor() {
        this.watchers = new Set(); // their names on the bus
        this.keys = Promise.resolve(false); // whether keys are told
        this.marks = []; // those that wait until the last key is told of
    }

    // add begins to tell a watcher, and says whether keys are told too.
    add(sender) {
        if (!this.watchers.has(sender) && this.watchers.add(sender).size === 1)
            this.begin();
        return this.keys;
    }

    begin() {
        this.at = this.told = global.get_pointer();
        this.timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, LOOK_EVERY, () => {
            this.look();
            return GLib.SOURCE_CONTINUE;
        });
        this.signal = Gio.DBus.session.signal_subscribe(
            Gio.DBus.session.get_unique_name(), KEYS, 'KeyEvent', KEYS_PATH, null, Gio.DBusSignalFlags.NONE,
            (_connection, _sender, _path, _name, _signal, parameters) => this.key(...parameters.deepUnpack()));
        this.keys = this.keys.then(() => watchKeys(true));
    }

    remove(sender) {
        if (!this.watchers.delete(sender) || this.watchers.size > 0)
            return;
        GLib.source_remove(this.timer);
        Gio.DBus.session.signal_unsubscribe(this.signal);
        this.keys = this.keys.then(told => told && watchKeys(false));
    }

    destroy() {
        for (const sender of [...this.watchers]) {
            this.tell(sender, 'Ended', null);
            this.remove(sender);
        }
    }

    tell(to, signal, parameters) {
        Gio.DBus.session.emit_signal(to, PATH, NAME, signal, parameters);
    }

    tellAll(signal, type, ...values) {
        for (const sender of this.watchers)
            this.tell(sender, signal, new GLib.Variant(type, values));
    }

    // look tells what the pointer's buttons do, and where it rests. Where it is when all
    // that was sent has been handled, it rests: told later, that would be a person's move.
    look(handled = false) {
        if (this.watchers.size === 0)
            return;
        const now = global.get_pointer(), before = this.at, told = this.told;
        this.at = now;
        const moved = (a, b) => a[0] !== b[0] || a[1] !== b[1];
        if (!((now[2] ^ told[2]) & BUTTONS) && (!handled && moved(now, before) || !moved(now, told)))
            return;
        this.told = now;
        const [x, y] = now.map(v => Math.floor(v / unit()));
        this.tellAll('Pointer', '(xiiu)', GLib.get_real_time(), x, y, now[2]);
    }

    key(released, state, keysym, _unichar, code) {
        if (code === Number(LAST_KEY_IN_KEYMAPS)) {
            if (released)
                this.marks.shift()?.();
            return;
        }
        this.look(); // what was pressed before it
        this.tellAll('Key', '(xbuu)', GLib.get_real_time(), released, state, keysym);
    }

    // toldOf waits until all is told that was done until some keys, of which the last is
    // to be pressed.
    async toldOf(pressed) {
        if (this.watchers.size === 0 || !await this.keys)
            return pressed();
        let mark;
        const marked = new Promise(done => this.marks.push(mark = done));
        await pressed();
        await Promise.race([marked, after(SETTLE_WITHIN)]);
        this.marks = this.marks.filter(m => m !== mark);
    }
}

// after waits for a time in milliseconds.
function after(time) {
    return new Promise(done => GLib.timeout_add(GLib.PRIORITY_DEFAULT, time, () => {
        done();
        return GLib.SOURCE_REMOVE;
    }));
}

class Desktop {
    constructor() {
        this.callers = new Map(); // who knew the token, by name on the bus: the watch of it
        this.layers = new Map();
        this.layer = 0;
        this.waiting = []; // those that wait for the last key
        this.watches = new Watches();

        this.token = GLib.uuid_string_random() + GLib.uuid_string_random();
        Gio.File.new_for_path(TOKEN).replace_contents(
            this.token, null, false, Gio.FileCreateFlags.PRIVATE | Gio.FileCreateFlags.REPLACE_DESTINATION, null);

        const seat = Clutter.get_default_backend().get_default_seat();
        this.keyboard = seat.create_virtual_device(Clutter.InputDeviceType.KEYBOARD_DEVICE);
        this.actions = [];
        for (let mods = 0; mods < 16; mods++) {
            const held = ['<Control>', '<Shift>', '<Alt>', '<Super>'].filter((_, i) => mods & (1 << i)).join('');
            const action = global.display.grab_accelerator(held + LAST_KEY_IN_KEYMAPS, Meta.KeyBindingFlags.NONE);
            if (action === Meta.KeyBindingAction.NONE)
                continue;
            Main.wm.allowKeybinding(Meta.external_binding_name_for_action(action), Shell.ActionMode.ALL);
            this.actions.push(action);
        }
        this.activated = global.display.connect('accelerator-activated', (_, action) => {
            if (this.actions.includes(action))
                this.waiting.shift()?.();
        });

        const info = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0];
        this.object = Gio.DBus.session.register_object(PATH, info, this.call.bind(this), null, null);
    }

    destroy() {
        this.watches.destroy();
        Gio.DBus.session.unregister_object(this.object);
        for (const id of this.callers.values())
            Gio.bus_unwatch_name(id);
        for (const id of [...this.layers.keys()])
            this.Remove([id]);
        for (const action of this.actions)
            global.display.ungrab_accelerator(action);
        global.display.disconnect(this.activated);
        this.layout(false);
        GLib.unlink(TOKEN);
    }

    // call takes a call of any method. All but Open are for those who knew the token.
    async call(_connection, sender, _path, _name, method, parameters, invocation) {
        try {
            if (method === 'Open')
                invocation.return_value(new GLib.Variant('(u)', [this.open(sender, parameters.deepUnpack()[0])]));
            else if (!this.callers.has(sender))
                invocation.return_dbus_error('org.freedesktop.DBus.Error.AccessDenied', 'call Open with the token first');
            else if (method === 'Lay') // its picture is better not unpacked
                invocation.return_value(new GLib.Variant('(u)', [this.lay(sender, parameters)]));
            else if (method === 'Watch')
                invocation.return_value(new GLib.Variant('(b)', [await this.watches.add(sender)]));
            else {
                const result = await this[method](parameters.deepUnpack());
                invocation.return_value(method in RESULTS ? new GLib.Variant(RESULTS[method], result) : result ?? null);
            }
        } catch (e) {
            invocation.return_dbus_error('org.understudy.Error', String(e));
        }
    }

    open(sender, token) {
        if (token !== this.token)
            throw new Error('this is not the token');
        if (!this.callers.has(sender)) {
            this.callers.set(sender, Gio.bus_watch_name_on_connection(Gio.DBus.session, sender, Gio.BusNameWatcherFlags.NONE, null, () => {
                Gio.bus_unwatch_name(this.callers.get(sender));
                this.callers.delete(sender);
                this.watches.remove(sender);
                for (const [id, layer] of this.layers) {
                    if (layer.sender === sender)
                        this.Remove([id]);
                }
            }));
        }
        return VERSION;
    }

    State() {
        const active = global.workspace_manager.get_active_workspace();
        const windows = global.get_window_actors().map(actor => [actor, actor.meta_window])
            .filter(([, w]) => ![Meta.WindowType.DESKTOP, Meta.WindowType.DOCK].includes(w.get_window_type()))
            .map(([actor, w]) => {
                const type = w.get_window_type(), frame = w.get_frame_rect();
                return {
                    id: w.get_id(), pid: w.get_pid(), title: w.get_title() ?? '', class: w.get_wm_class() ?? '',
                    frame: rect(frame), content: rect(w.get_client_type() === Meta.WindowClientType.X11 ? w.frame_rect_to_client_rect(frame) : frame),
                    active: w.has_focus() && !w.minimized, minimized: w.minimized, maximized: w.get_maximized() === Meta.MaximizeFlags.BOTH,
                    hidden: !w.located_on_workspace(active) || !actor.mapped && !w.minimized,
                    popup: POPUPS.includes(type), tooltip: type === Meta.WindowType.TOOLTIP, splash: type === Meta.WindowType.SPLASHSCREEN,
                    dialog: type === Meta.WindowType.DIALOG || type === Meta.WindowType.MODAL_DIALOG, modal: type === Meta.WindowType.MODAL_DIALOG,
                };
            });
        const monitors = Main.layoutManager.monitors.map((m, i) => ({
            bounds: rect(m), scale: m.geometry_scale, primary: i === Main.layoutManager.primaryIndex,
        }));
        // Of the shell's own that covers the windows there is no window.
        const covered = Main.overview.visible || Main.modalCount > 0 || Main.sessionMode.isLocked;
        return [JSON.stringify({windows, monitors, covered})];
    }

    // At tells which window a press at a point reaches, popups and all; 0 is none, but
    // something of the shell.
    At([x, y]) {
        let actor = global.stage.get_actor_at_pos(Clutter.PickMode.REACTIVE, (x + 0.5) * unit(), (y + 0.5) * unit());
        while (actor && !(actor instanceof Meta.WindowActor))
            actor = actor.get_parent();
        return [actor?.meta_window.get_id() ?? 0];
    }

    // Settle waits until the input that was sent has been handled, and tells where the
    // pointer is then. Nothing tells when that of the pointer was: a key after it would
    // close the popup that it opens.
    async Settle([sent, keys]) {
        if (sent && !keys)
            await after(POINTER_WITHIN);
        if (keys)
            await this.watches.toldOf(() => this.lastKey());
        this.watches.look(sent);
        this.layout(false);
        return global.get_pointer().slice(0, 2).map(v => Math.floor(v / unit()));
    }

    // lastKey presses the last key, and waits until the shell has come to it.
    async lastKey() {
        await new Promise(done => {
            const late = GLib.timeout_add(GLib.PRIORITY_DEFAULT, SETTLE_WITHIN, () => {
                this.waiting = this.waiting.filter(w => w !== came);
                done();
                return GLib.SOURCE_REMOVE;
            });
            const came = () => {
                GLib.source_remove(late);
                done();
            };
            this.waiting.push(came);
            for (const state of [Clutter.KeyState.PRESSED, Clutter.KeyState.RELEASED])
                this.keyboard.notify_key(GLib.get_monotonic_time(), LAST_KEY, state);
        });
    }

    async Manage([id, what, bounds]) {
        const [x, y, width, height] = bounds.map(v => Math.round(v * unit()));
        const actor = global.get_window_actors().find(a => a.meta_window.get_id() === id);
        if (!actor)
            throw new Error('there is no such window');
        const w = actor.meta_window;
        switch (what) {
        case 'activate':
            Main.activateWindow(w);
            await restacked();
            break;
        case 'restore':
            if (w.minimized)
                w.unminimize();
            else
                w.unmaximize(Meta.MaximizeFlags.BOTH);
            Main.activateWindow(w);
            await restacked();
            break;
        case 'minimize':
            w.minimize();
            break;
        case 'maximize':
            w.maximize(Meta.MaximizeFlags.BOTH);
            break;
        case 'place':
            if (w.get_maximized())
                w.unmaximize(Meta.MaximizeFlags.BOTH);
            w.move_resize_frame(true, x, y, width, height);
            break;
        case 'close':
            w.delete(global.get_current_time());
            break;
        default:
            throw new Error(`a window cannot be asked to ${what}`);
        }
    }

    Picture([area]) {
        const [x, y, width, height] = area.map(v => Math.round(v * unit()));
        const stream = Gio.MemoryOutputStream.new_resizable();
        return new Promise((resolve, reject) => {
            new Shell.Screenshot().screenshot_area(x, y, width, height, stream, (shot, result) => {
                try {
                    shot.screenshot_area_finish(result);
                    stream.close(null);
                    const bytes = GLib.Variant.new_from_bytes(new GLib.VariantType('ay'), stream.steal_as_bytes(), true);
                    resolve(GLib.Variant.new_tuple([bytes]));
                } catch (e) {
                    reject(e);
                }
            });
        });
    }

    // Plain gives the keys the usual English layout until Settle, and says whether
    // CapsLock is on.
    Plain() {
        this.layout(true);
        return [Clutter.get_default_backend().get_default_seat().get_keymap().get_caps_lock_state()];
    }

    layout(plain) {
        const manager = Keyboards.getKeyboardManager(), is = manager.currentLayout;
        if (plain === Boolean(this.plain) || plain && (!is || is.layout === 'us' && is.variant === ''))
            return;
        this.plain = plain;
        if (plain) {
            const keymap = ['us', '', '', manager._xkbModel ?? ''];
            global.backend.set_keymap(...keymap.slice(0, global.backend.set_keymap.length)); // the model since GNOME 47
            global.backend.lock_layout_group(0);
        } else {
            manager._currentKeymap = null;
            manager.reapply();
        }
    }

    // Commit enters text as an input method does, into a program that listens to one.
    Commit([text]) {
        if (!Main.inputMethod.currentFocus)
            return [false];
        Main.inputMethod.commit(text);
        return [true];
    }

    // Kinds are what the clipboard can be read as.
    Kinds() {
        return [St.Clipboard.get_default().get_mimetypes(St.ClipboardType.CLIPBOARD)];
    }

    // lay lays a picture over all windows.
    lay(sender, parameters) {
        const [x, y, width, height] = parameters.get_child_value(0).deepUnpack();
        const content = image(parameters.get_child_value(1).get_data_as_bytes(), width, height);
        const k = unit();
        const actor = new Clutter.Actor({x: x * k, y: y * k, width: width * k, height: height * k, content, reactive: parameters.get_child_value(2).get_boolean()});
        Main.layoutManager.addTopChrome(actor);
        actor.get_allocation_box(); // lays it out, so that the next picture has it
        this.layers.set(++this.layer, {actor, sender});
        return this.layer;
    }

    Remove([id]) {
        this.layers.get(id)?.actor.destroy();
        this.layers.delete(id);
    }
}

var desktop = null; // the one object, while the extension is enabled

function begin() {
    desktop = new Desktop();
}

function end() {
    desktop.destroy();
    desktop = null;
}
