"""A board in Tk, which has no elements for anybody. board.py LOG"""
import sys
import tkinter

SQUARE = 60
log = open(sys.argv[1], "a", buffering=1)
window = tkinter.Tk()
window.title("Board")
window.geometry("420x420+80+60")
board = tkinter.Canvas(window, background="white")
board.pack(fill="both", expand=True)
for row in range(6):
    for column in range(6):
        x, y = column * SQUARE, row * SQUARE
        board.create_rectangle(x, y, x + SQUARE, y + SQUARE, fill="bisque" if (row + column) % 2 else "tan")
        board.create_text(x + 12, y + 10, text="ABCDEF"[column] + str(row + 1))
pieces = [board.create_oval(3, 3, 57, 57, fill="red"), board.create_oval(243, 3, 297, 57, fill="navy")]
piece = held = None


def press(event):
    global piece, held
    piece = next((p for p in pieces if p in board.find_overlapping(event.x, event.y, event.x, event.y)), None)
    held = event.x, event.y


def move(event):
    global held
    if piece:
        board.move(piece, event.x - held[0], event.y - held[1])
        held = event.x, event.y


def release(event):
    squares = []
    for p in pieces:
        left, top, right, bottom = board.coords(p)
        squares.append("ABCDEF"[int((left + right) / 2 // SQUARE)] + str(int((top + bottom) / 2 // SQUARE) + 1))
    log.write("sent %s\n" % " ".join(squares))


board.bind("<ButtonPress-1>", press)
board.bind("<B1-Motion>", move)
board.bind("<ButtonRelease-1>", release)
window.update()
log.write("shown\n")
window.mainloop()
