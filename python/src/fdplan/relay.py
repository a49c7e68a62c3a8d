"""Passes lines between standard input and output and a socket of another Python process.

The program starts this file as its simulator, by its path: it imports nothing of the package.
"""

import socket
import sys
import threading


def main() -> None:
    """Connect to the port of the first argument, with the token in the file of the second."""
    port, secret = sys.argv[1:]
    with open(secret, "rb") as file:
        token = file.read()
    with socket.create_connection(("127.0.0.1", int(port))) as connection:
        connection.sendall(token + b"\n")
        threading.Thread(target=send, args=(connection,), daemon=True).start()
        while data := connection.recv(1 << 16):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def send(connection: socket.socket) -> None:
    """Send standard input until it ends."""
    while data := sys.stdin.buffer.read1(1 << 16):
        connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main()
