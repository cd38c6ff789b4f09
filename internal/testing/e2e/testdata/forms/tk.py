"""The order form in Tk, which has no elements for anybody. tk.py LOG"""
import sys
import tkinter

log = open(sys.argv[1], "a", buffering=1)
window = tkinter.Tk()
window.title("Order")
window.geometry("520x420+80+60")
font = ("DejaVu Sans", 16)
customer, gift, size = tkinter.StringVar(), tkinter.BooleanVar(), tkinter.StringVar(value="Small")


def send(_=None):
    log.write("sent %s|%s|%s|%d\n" % (customer.get(), gift.get(), size.get(), amount.get()))
    done.config(text="Thank you")


tkinter.Label(window, text="Customer", font=font).pack()
entry = tkinter.Entry(window, textvariable=customer, font=font)
entry.pack()
tkinter.Checkbutton(window, text="Gift wrap", variable=gift, font=font).pack()
for name in ("Small", "Medium", "Large"):
    tkinter.Radiobutton(window, text=name, value=name, variable=size, font=font).pack()
amount = tkinter.Scale(window, from_=0, to=100, orient="horizontal", length=300)
amount.pack()
tkinter.Button(window, text="Send", command=send, font=font).pack()
done = tkinter.Label(window, text="Not sent", font=font)
done.pack()
window.bind("<Control-Return>", send)
entry.focus_force()
window.update()
log.write("shown\n")
window.mainloop()
