"""Train a small ternary network for inventory/2 in PyTorch and save it for fdplan.

    fdplan collect inventory/2 --policy restart -n 2000 --seed 1 -o rows.csv
    python3 make.py rows.csv

writes network.npz, and expected.txt: all 128 inputs with the network's outputs,
as PyTorch computes them. Needs PyTorch and NumPy (Debian: python3-torch).
"""
import csv
import itertools
import sys

import numpy as np
import torch
from torch import nn


class Ternary(torch.autograd.Function):
    """-1, 0 or +1; the gradient passes straight through."""

    @staticmethod
    def forward(ctx, w):
        return torch.sign(w) * (w.abs() >= 0.5)

    @staticmethod
    def backward(ctx, grad):
        return grad


class Sign(torch.autograd.Function):
    """-1 or +1, and +1 at 0; the gradient is that of tanh."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (1 - torch.tanh(x) ** 2)


class TernaryLinear(nn.Linear):
    def __init__(self, inputs, units):
        super().__init__(inputs, units, bias=False)
        nn.init.uniform_(self.weight, -1, 1)

    def forward(self, x):
        return nn.functional.linear(x, Ternary.apply(self.weight))


class Net(nn.Module):
    def __init__(self, widths):
        super().__init__()
        pairs = list(zip(widths, widths[1:]))
        self.linear = nn.ModuleList(TernaryLinear(i, o) for i, o in pairs)
        self.norm = nn.ModuleList(nn.BatchNorm1d(o) for _, o in pairs)

    def forward(self, x):
        for linear, norm in zip(self.linear, self.norm):
            y = norm(linear(x))
            x = Sign.apply(y)
        return y


def bits(value, width):
    return [int(value) >> k & 1 for k in reversed(range(width))]


def load(name):
    """The bits of distinct rows as -1 and +1: inputs in the task's order, outputs."""
    true = {"true": 1, "false": 0}
    rows = set()
    for r in csv.DictReader(open(name)):
        rows.add((true[r["resupply(c1)"]], true[r["threshold_met(c1)"]], *bits(r["quant(c1)"], 4), int(r["month"]),
                  true[r["threshold_met(c1)'"]], *bits(r["quant(c1)'"], 4)))
    t = 2.0 * torch.tensor(sorted(rows)) - 1
    return t[:, :7], t[:, 7:]


def save(net, name):
    # The three lines; norm.eps is the same for all layers.
    a = {"eps": np.float64(net.norm[0].eps)}
    for k, (l, n) in enumerate(zip(net.linear, net.norm), 1):
        a |= {f"layer{k}.{key}": t.detach().numpy() for key, t in {"weight": Ternary.apply(l.weight), "mean": n.running_mean, "var": n.running_var, "gamma": n.weight, "beta": n.bias}.items()}
    np.savez_compressed(name, **a)


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    x, y = load(sys.argv[1])
    net = Net([7, 48, 48, 5])
    adam = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(3000):
        net.train()
        for batch in torch.randperm(len(x)).split(32):
            adam.zero_grad()
            loss = torch.relu(1 - y[batch] * net(x[batch])).square().mean()
            loss.backward()
            adam.step()
            with torch.no_grad():
                for l in net.linear:
                    l.weight.clamp_(-1, 1)
        net.eval()
        wrong = int(((net(x) >= 0) != (y > 0)).any(1).sum())
        if wrong == 0:
            break
    print(f"{wrong} of {len(x)} rows wrong after {epoch + 1} epochs")
    save(net, "network.npz")
    inputs = torch.tensor(list(itertools.product([-1.0, 1.0], repeat=7)))
    with open("expected.txt", "w") as f:
        for a, b in zip(inputs, net(inputs)):
            print("".join("1" if v > 0 else "0" for v in a), "".join("1" if v >= 0 else "0" for v in b), file=f)


main()
