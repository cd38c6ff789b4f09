// What GNOME tells nobody else: where windows and the pointer are, and what the
// screen shows. Understudy installs this with "understudy setup gnome". Input is
// none of its business, but for text that no layout has: that goes by GNOME's own
// interface for remote desktops, which shows its sign in the top bar.
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
</interface></node>`;
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

class Desktop {
    constructor() {
        this.callers = new Map(); // who knew the token, by name on the bus: the watch of it
        this.layers = new Map();
        this.layer = 0;
        this.waiting = []; // those that wait for the last key

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
        if (sent && !keys) {
            await new Promise(done => GLib.timeout_add(GLib.PRIORITY_DEFAULT, POINTER_WITHIN, () => {
                done();
                return GLib.SOURCE_REMOVE;
            }));
        }
        if (keys)
            await this.lastKey();
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
